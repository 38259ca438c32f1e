/** The options of the rebuild run, read from its arguments; what is wrong is named in one sentence. */

import type { Rule } from '../../src/domain/rules.js';
import { parseOptions, readNumber, readRule } from './option-values.js';

export interface RebuildOptions {
  /** Past results in the database before the run. */
  readonly rows: number;
  /** Who played them, and goes on to play. */
  readonly players: number;
  /** Over how many days the past is spread. */
  readonly days: number;
  readonly rule: Rule;
  /** The first so many players have a socket each. */
  readonly sockets: number;
  readonly friends: number;
  /** Results per second. */
  readonly rate: number;
  /** Share of them that only players with a socket play. */
  readonly watchedShare: number;
  /** Share of them that change their player's points. */
  readonly improve: number;
  /** Length of the window without a rebuild, and at least of the one with rebuilds, one after another. */
  readonly seconds: number;
  /** How often both are measured, alternating. */
  readonly rounds: number;
  /** Seconds of the same load before, not measured. */
  readonly warmup: number;
  readonly seed: number;
}

const DEFAULTS = {
  rows: '2000000',
  players: '500000',
  days: '30',
  rule: 'best',
  sockets: '500',
  friends: '50',
  rate: '5000',
  'watched-share': '0.1',
  improve: '0.2',
  seconds: '60',
  rounds: '1',
  warmup: '10',
  seed: '1',
} as const;

/** Throws an `Error` that a person understands. */
export function readRebuildOptions(args: readonly string[]): RebuildOptions {
  const values = parseOptions(args, DEFAULTS);
  const read = (name: keyof typeof DEFAULTS, min: number, max: number, isWhole = true): number =>
    readNumber(name, values[name], { min, max, isWhole });
  const players = read('players', 2, 100_000_000);
  const sockets = read('sockets', 2, Math.min(players, 100_000));
  return {
    rows: read('rows', players, 1_000_000_000),
    players,
    days: read('days', 1, 366),
    rule: readRule(values.rule),
    sockets,
    friends: read('friends', 0, sockets - 1),
    rate: read('rate', 1, 1_000_000),
    watchedShare: read('watched-share', 0, 1, false),
    improve: read('improve', 0, 1, false),
    seconds: read('seconds', 1, 3_600),
    rounds: read('rounds', 1, 100),
    warmup: read('warmup', 0, 600),
    seed: read('seed', 0, 2 ** 32 - 1),
  };
}
