/** What a kind of window must know to be watched and compared; a kind is one file beside this one, named in kinds.ts. */

import type { Client, View } from '../../client/index.js';
import type { RankedRow } from '../brute-force.js';
import type { ListSpec } from '../lists.js';
import type { Truth } from '../truth.js';

export interface WindowAsk {
  readonly client: Client;
  readonly playerId: string;
  readonly list: ListSpec;
  /** The most rows that a top window of the board has. */
  readonly topSize: number;
  /** One of the run, by chance. */
  readonly anyPlayer: () => string;
  /** From 0 up to but not 1; chooses limits. */
  readonly random: () => number;
}

export interface Difference {
  /** Where, such as `row 3` or `total`. */
  readonly place: string;
  readonly expected: string;
  readonly shown: string;
}

/** A window that is open. */
export interface WatchedWindow {
  /** Such as `top arena;d=2026-10-12 limit 10`. */
  readonly name: string;
  readonly view: Pick<View<{ readonly stale: boolean }>, 'ready' | 'on' | 'close'>;
  /** The first difference from what it should show, `null` where there is none. */
  difference(truth: Truth): Difference | null;
}

export type WindowKind = (ask: WindowAsk) => WatchedWindow;

export function shownAs({ playerId, rank, points }: RankedRow) {
  return { playerId, rank, score: points };
}
