/** The options of the fan-out run, read from its arguments; what is wrong is named in one sentence. */

import { parseArgs } from 'node:util';

export const SPREADS = ['uniform', 'zipf'] as const;
export type Spread = (typeof SPREADS)[number];

export interface FanoutOptions {
  /** Players, each with one socket. */
  readonly sockets: number;
  /** Friends of a player, on average. */
  readonly friends: number;
  /** Results per second. */
  readonly rate: number;
  /** Length of the measured window. */
  readonly seconds: number;
  /** Seconds of the same load before it, not measured. */
  readonly warmup: number;
  readonly seed: number;
  /** Share of results that beat the player's best, so that everybody who watches him is told. */
  readonly improve: number;
  /** Share of the sockets that watch the top as well; all watch their friends and their own rank. */
  readonly topShare: number;
  /** Who plays: all alike, or few much and many little. */
  readonly spread: Spread;
  /** The server's `RANKCAST_TICK_MS`; `null` is its default. */
  readonly tick: number | null;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

const COUNT: Range = { min: 1, max: 1_000_000, isWhole: true };
const RANGES = {
  sockets: { min: 2, max: 100_000, isWhole: true },
  friends: { min: 0, max: 10_000, isWhole: true },
  rate: COUNT,
  seconds: { min: 1, max: 3_600, isWhole: true },
  warmup: { min: 0, max: 600, isWhole: true },
  seed: { min: 0, max: 2 ** 32 - 1, isWhole: true },
  improve: { min: 0, max: 1, isWhole: false },
  'top-share': { min: 0, max: 1, isWhole: false },
  tick: { min: 1, max: 1_000, isWhole: true },
} as const satisfies Readonly<Record<string, Range>>;

/** Throws an `Error` that a person understands. */
export function readFanoutOptions(args: readonly string[]): FanoutOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sockets: { type: 'string', default: '500' },
      friends: { type: 'string', default: '50' },
      rate: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '20' },
      warmup: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      improve: { type: 'string', default: '0.2' },
      'top-share': { type: 'string', default: '0.1' },
      spread: { type: 'string', default: 'uniform' },
      tick: { type: 'string' },
    },
  });
  const read = (name: Exclude<keyof typeof RANGES, 'tick'>): number => readNumber(name, values[name]);
  const options: FanoutOptions = {
    sockets: read('sockets'),
    friends: read('friends'),
    rate: read('rate'),
    seconds: read('seconds'),
    warmup: read('warmup'),
    seed: read('seed'),
    improve: read('improve'),
    topShare: read('top-share'),
    spread: readSpread(values.spread),
    tick: values.tick === undefined ? null : readNumber('tick', values.tick),
  };
  if (options.friends >= options.sockets) {
    throw new Error(
      `--friends ${options.friends} must be below --sockets ${options.sockets}: friends are players, too`,
    );
  }
  return options;
}

function readNumber(name: keyof typeof RANGES, text: string): number {
  const range: Range = RANGES[name];
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const isRight = value >= range.min && value <= range.max && (!range.isWhole || Number.isInteger(value));
  if (isRight) return value;
  throw new Error(
    `--${name} must be a ${range.isWhole ? 'whole ' : ''}number from ${range.min} to ${range.max}, not ${JSON.stringify(text)}`,
  );
}

function readSpread(text: string): Spread {
  const spread = SPREADS.find((candidate) => candidate === text);
  if (spread === undefined) throw new Error(`--spread must be ${SPREADS.join(' or ')}, not ${JSON.stringify(text)}`);
  return spread;
}
