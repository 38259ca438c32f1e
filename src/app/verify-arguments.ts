/** What may follow `rankcast verify`, and the text that explains it. */

import { parseArgs } from 'node:util';
import { UsageError } from '../domain/errors.js';
import { ROUND_MS, type RunShape } from '../verify/plan.js';

export const VERIFY_USAGE = `rankcast verify: plays on a running server and compares what every client shows with a ranking of its own

  rankcast verify [--url http://localhost:8080] [--board arena] [--clients 50] [--minutes 1] [--seed n]
                  [--rate 200] [--players n] [--max-points 10000] [--time-unit-ms 100] [--settle-sec 30]

It needs RANKCAST_INGEST_TOKEN and RANKCAST_TOKEN_SECRET, as the server has them (or their _FILE twins). It sends --rate
results a second: many players with the same points, the same match twice and with other points, late ones, and bad ones that
must be refused; voids, corrections, hides, and friends that come and go. Its clients watch the top, their own rank, their
friends and watch lists, on the season and where the board has them on today, this week and some scopes; they lose their
connections, come back, and stop reading for seconds. Where the settings of the stores are there as well, the board is rebuilt meanwhile.

Every ${ROUND_MS / 1_000} s it stops sending, gives the server up to --settle-sec, and compares each window row by row. The first that is wrong
ends the run. What is done follows from --seed alone (default: a random one); run it again with the one that is printed.

Players are its own, of names that no other run has. Others may stand on the board but not play on it meanwhile. At the end
it hides its players, so the board is as before; after a mismatch all stays as it is, to be looked at.
Boards of one key that rank players, with totals below maxTotal where they add up. --players: how many, default four a
client. --max-points: within the mode's range. --time-unit-ms: what the board's times are cut to (the built-in board: 100).

The last line: verify=pass seed=... results=... frames=... quiet_points=... compared=... mismatches=0
Exit code 0: all was right; 1: something was not, or the run could not be made; 2: typed wrong; 130: interrupted.
`;

export interface VerifyOrder {
  readonly url: string;
  readonly boardId: string;
  readonly shape: RunShape;
  readonly unitMs: number;
  readonly settleMs: number;
}

const OPTIONS = {
  url: { type: 'string', default: 'http://localhost:8080' },
  board: { type: 'string', default: 'arena' },
  clients: { type: 'string', default: '50' },
  minutes: { type: 'string', default: '1' },
  seed: { type: 'string' },
  rate: { type: 'string', default: '200' },
  players: { type: 'string' },
  'max-points': { type: 'string', default: '10000' },
  'time-unit-ms': { type: 'string', default: '100' },
  'settle-sec': { type: 'string', default: '30' },
  help: { type: 'boolean', default: false },
} as const;

const MAX_SEED = 2 ** 32 - 1;

/** `null`: the person asks for help. Throws `UsageError` for what is no order. */
export function readVerifyArguments(args: readonly string[], random: () => number = Math.random): VerifyOrder | null {
  const values = parse(args);
  if (values.help) return null;
  const clients = readNumber('clients', values.clients, 1, 1_000);
  const minutes = readNumber('minutes', values.minutes, 0.1, 1_440, false);
  const shape: RunShape = {
    seed: readNumber('seed', values.seed ?? String(Math.floor(random() * MAX_SEED)), 0, MAX_SEED),
    clients,
    players: readNumber('players', values.players ?? String(Math.max(4 * clients, 10)), Math.max(clients, 2), 20_000),
    rate: readNumber('rate', values.rate, 1, 2_000),
    rounds: Math.max(1, Math.round((minutes * 60_000) / ROUND_MS)),
    maxPoints: readNumber('max-points', values['max-points'], 100, 2 ** 40),
  };
  return {
    url: readUrl(values.url),
    boardId: values.board,
    shape,
    unitMs: readNumber('time-unit-ms', values['time-unit-ms'], 1, 60_000),
    settleMs: 1_000 * readNumber('settle-sec', values['settle-sec'], 1, 600),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(`verify: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`--url must be the http or https address of the server, not ${JSON.stringify(text)}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function readNumber(name: string, text: string, min: number, max: number, isWhole = true): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= min && value <= max && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new UsageError(`--${name} must be a ${kind} from ${min} to ${max}, not ${JSON.stringify(text)}`);
}
