/** What the contract tests submit, load and settle with: records of one partition, and rows of truth. */

import { randomBytes } from 'node:crypto';
import { SEASON_LIST, type TagList } from '../../src/domain/lists.js';
import {
  DEDUP_MS,
  type FillEntry,
  type FoldedEntry,
  type PlayerOrder,
  type ResultIdentity,
  type ScoredResult,
  type SubmitBatch,
} from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';

export const SOURCE = 'kafka:match-results';
export const AT = 1_775_001_600_000;

/** Three lists of one tag; the day's is kept for longer than a test takes. */
export const SEASON: TagList = { name: SEASON_LIST, keptUntil: null };
export const DAY: TagList = { name: 'd:2026-10-12', keptUntil: Date.now() + 3 * 86_400_000 };
export const GUILD: TagList = { name: 's:guild:77', keptUntil: null };

/** Counts in the list of the season. Without an identity it is no copy of anything, and of a match that just ended. */
export type ToSubmit = readonly [playerId: string, score: number, identity?: ResultIdentity];

export function newIdentity(achievedAt = Date.now()): ResultIdentity {
  return { hash: String(randomBytes(8).readBigInt64LE()), achievedAt };
}

/** Of a match that ended so long ago that no tag remembers its copies. */
export function lateIdentity(): ResultIdentity {
  return newIdentity(Date.now() - DEDUP_MS - 60_000);
}

/** Results as consecutive records of partition 0. */
export function batchOf(from: number, ...results: readonly ToSubmit[]): ScoredBatch {
  return batchIn(SEASON_LISTS, from, ...results);
}

/** The same, and each of them counts in these lists. */
export function batchIn(lists: readonly TagList[], from: number, ...results: readonly ToSubmit[]): ScoredBatch {
  return {
    source: SOURCE,
    partition: 0,
    from,
    to: from + results.length,
    results: results.map(([playerId, score, identity = newIdentity()], index) => ({
      playerId,
      score,
      lists,
      offset: from + index,
      at: AT + index,
      identity,
    })),
  };
}

export interface ScoredBatch extends SubmitBatch {
  readonly results: readonly ScoredResult[];
}

/** An order as the only record of partition 0 at an offset. */
export function orderBatch(
  from: number,
  order: PlayerOrder['order'],
  playerId: string,
  lists: readonly TagList[] = SEASON_LISTS,
): SubmitBatch {
  const results = [{ order, playerId, lists, offset: from, at: AT }];
  return { source: SOURCE, partition: 0, from, to: from + 1, results };
}

/** What truth has of a player in the list of the season, or another. */
export function entryIn(list: TagList, playerId: string, score: number): FillEntry {
  return { list, playerId, score };
}

export function seasonEntry(playerId: string, score: number): FillEntry {
  return entryIn(SEASON, playerId, score);
}

/** What truth comes to for a player who is on no other list; `null`: on none. */
export function seasonFold(score: number | null): readonly FoldedEntry[] {
  return [{ list: SEASON, score }];
}
