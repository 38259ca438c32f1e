/** Options of the bench `stalled`. */

import { parseOptions, readNumber } from '../../lib/option-values.js';

const DEFAULTS = {
  sockets: '200',
  stalled: '20',
  resumed: '10',
  friends: '20',
  players: '1000',
  rate: '1000',
  seconds: '30',
  seed: '1',
};

export interface StalledOptions {
  readonly sockets: number;
  /** How many of them stop reading. */
  readonly stalled: number;
  /** How many of those read again in time. */
  readonly resumed: number;
  /** Of a player whose socket reads, on average. */
  readonly friends: number;
  /** Those without a socket are the friends of each player whose socket stops. */
  readonly players: number;
  readonly rate: number;
  /** Length of the window in which all read. */
  readonly seconds: number;
  readonly seed: number;
}

/** Throws an `Error` that a person understands. */
export function readStalledOptions(args: readonly string[]): StalledOptions {
  const values = parseOptions(args, DEFAULTS);
  const sockets = readNumber('sockets', values.sockets, { min: 2, max: 8_000 });
  const stalled = readNumber('stalled', values.stalled, { min: 1, max: sockets - 1 });
  return {
    sockets,
    stalled,
    resumed: readNumber('resumed', values.resumed, { min: 0, max: stalled }),
    friends: readNumber('friends', values.friends, { min: 1, max: 1_000 }),
    players: readNumber('players', values.players, { min: sockets + 1, max: sockets + 10_000 }),
    rate: readNumber('rate', values.rate, { min: 1, max: 50_000 }),
    seconds: readNumber('seconds', values.seconds, { min: 1, max: 600 }),
    seed: readNumber('seed', values.seed, { min: 0, max: 2 ** 32 - 1 }),
  };
}
