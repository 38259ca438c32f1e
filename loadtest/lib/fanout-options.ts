/** The options of the fan-out run, read from its arguments; what is wrong is named in one sentence. */

import { parseOptions, type Range, readChoice, readNumber } from './option-values.js';

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

const COUNT: Range = { min: 1, max: 1_000_000 };
const RANGES = {
  sockets: { min: 2, max: 100_000 },
  friends: { min: 0, max: 10_000 },
  rate: COUNT,
  seconds: { min: 1, max: 3_600 },
  warmup: { min: 0, max: 600 },
  seed: { min: 0, max: 2 ** 32 - 1 },
  improve: { min: 0, max: 1, isWhole: false },
  'top-share': { min: 0, max: 1, isWhole: false },
  tick: { min: 1, max: 1_000 },
} as const satisfies Readonly<Record<string, Range>>;

/** As texts, as they would be given. */
export const FANOUT_DEFAULTS = {
  sockets: '500',
  friends: '50',
  rate: '500',
  seconds: '20',
  warmup: '10',
  seed: '1',
  improve: '0.2',
  'top-share': '0.1',
  spread: 'uniform',
  tick: 'default',
} as const;

/** Throws an `Error` that a person understands. */
export function readFanoutOptions(args: readonly string[]): FanoutOptions {
  return fanoutOptionsOf(parseOptions(args, FANOUT_DEFAULTS));
}

/** Throws an `Error` that a person understands. */
export function fanoutOptionsOf(values: Readonly<Record<keyof typeof FANOUT_DEFAULTS, string>>): FanoutOptions {
  const read = (name: keyof typeof RANGES): number => readNumber(name, values[name], RANGES[name]);
  const options: FanoutOptions = {
    sockets: read('sockets'),
    friends: read('friends'),
    rate: read('rate'),
    seconds: read('seconds'),
    warmup: read('warmup'),
    seed: read('seed'),
    improve: read('improve'),
    topShare: read('top-share'),
    spread: readChoice('spread', values.spread, SPREADS),
    tick: values.tick === FANOUT_DEFAULTS.tick ? null : read('tick'),
  };
  if (options.friends >= options.sockets) {
    throw new Error(
      `--friends ${options.friends} must be below --sockets ${options.sockets}: friends are players, too`,
    );
  }
  return options;
}
