/** `rankcast verify`: what a run needs of the environment, and what it prints. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { withSecretFiles } from '../config/secret-files.js';
import { UsageError } from '../domain/errors.js';
import { PlayerTokens } from '../ops/player-tokens.js';
import { ROUND_MS } from '../verify/plan.js';
import { describeFindings, isPassed, summaryLine } from '../verify/report.js';
import { verify } from '../verify/verify.js';
import { VerifyError } from '../verify/verify-error.js';
import { INTERRUPTED } from './rebuild-command.js';
import type { VerifyOrder } from './verify-arguments.js';

export interface VerifyCommandOptions {
  readonly order: VerifyOrder;
  readonly env: NodeJS.ProcessEnv;
  /** What Node runs for other commands: the file of main.ts. */
  readonly program: string;
  readonly signal: AbortSignal;
  /** Gets the one line at the end. */
  readonly print: (line: string) => void;
  readonly progress: (line: string) => void;
}

/** Longer than any run. */
const TOKEN_LIFETIME_SEC = 48 * 3_600;
/** Without all of them there is nothing outside the server that could rebuild. */
const STORES = ['RANKCAST_DATABASE_URL', 'RANKCAST_REDIS_URL', 'RANKCAST_KAFKA_BROKERS'];

/** Answers the exit code: 0 where all was right, 1 where not, or `INTERRUPTED`. Throws for a run that cannot be made. */
export async function runVerify(options: VerifyCommandOptions): Promise<number> {
  const { order, signal, print, progress } = options;
  const { ingestToken, tokenSecret, hasStores } = readEnvironment(options.env);
  const tokens = new PlayerTokens({ secret: tokenSecret });
  progress(`seed ${order.shape.seed}, board ${order.boardId} at ${order.url}`);
  try {
    const report = await verify({
      ...order,
      ...{ ingestToken, signal, progress },
      sign: (playerId) => tokens.sign(playerId, TOKEN_LIFETIME_SEC),
      rebuild: hasStores ? (boardId) => rebuild(boardId, options) : null,
    });
    for (const line of describeFindings(report)) progress(line);
    if (!isPassed(report)) progress(`again: ${commandOf(order)}`);
    print(summaryLine(report));
    return isPassed(report) ? 0 : 1;
  } catch (error) {
    if (!signal.aborted) throw error;
    progress('interrupted: the players of this run stay on the board');
    return INTERRUPTED;
  }
}

function readEnvironment(env: NodeJS.ProcessEnv) {
  const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const problems: string[] = [];
  const values = withSecretFiles(new Map(given), (path) => readFileSync(path, 'utf8').trim(), problems);
  const [problem] = problems;
  if (problem !== undefined) throw new UsageError(problem);
  const [ingestToken, tokenSecret] = [values.get('RANKCAST_INGEST_TOKEN'), values.get('RANKCAST_TOKEN_SECRET')];
  if (!ingestToken || !tokenSecret) {
    throw new UsageError('verify needs RANKCAST_INGEST_TOKEN and RANKCAST_TOKEN_SECRET, with the values of the server');
  }
  return { ingestToken, tokenSecret, hasStores: STORES.every((name) => values.has(name)) };
}

/** As a person runs it: a process of its own beside the servers. */
async function rebuild(boardId: string, { env, program, signal, progress }: VerifyCommandOptions): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, program, 'rebuild', '--board', boardId], {
    ...{ env, signal },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, told, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new VerifyError(`rankcast rebuild ended with ${code}: ${told.trim().slice(-1_000)}`);
  progress(out.trim());
}

function commandOf({ url, boardId, shape, unitMs, settleMs }: VerifyOrder): string {
  const { seed, clients, players, rate, rounds, maxPoints } = shape;
  const minutes = Number(((rounds * ROUND_MS) / 60_000).toFixed(3));
  return (
    `rankcast verify --url ${url} --board ${boardId} --clients ${clients} --minutes ${minutes} --seed ${seed} --rate ${rate} ` +
    `--players ${players} --max-points ${maxPoints} --time-unit-ms ${unitMs} --settle-sec ${settleMs / 1_000}`
  );
}
