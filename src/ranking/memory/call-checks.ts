/** Checks what callers hand to the in-memory ranking, all of it before anything is written. */

import { type AroundAsk, MAX_NEIGHBOUR_ROWS, rowsAsked } from '../../domain/change.js';
import { RankcastError } from '../../domain/errors.js';
import { isValidId } from '../../domain/ids.js';
import type { Rule } from '../../domain/rules.js';
import {
  type FillEntry,
  type FoldedEntry,
  MAX_FILL_CHUNK,
  MAX_MARKS,
  MAX_READ_PLAYERS,
  MAX_SUBMIT_RESULTS,
  type Mark,
  type PlayerToMark,
  type ScoredResult,
  type SubmitBatch,
  type SubmitResult,
  type TagList,
} from '../ranking.js';

/** 64 bits, signed, as decimal text. */
const HASH = /^-?\d{1,19}$/;

/** A caller of the ranking broke its contract; nothing was written. The same call fails again. */
export class RankingCallError extends RankcastError {
  readonly isRetryable = false;
}

/** Throws RankingCallError, naming the first result that is wrong. */
export function checkBatch(batch: SubmitBatch, rule: Rule): void {
  const { from, to, results } = batch;
  if (!isCount(from) || !isCount(to) || from > to) refuse(`a batch covers [from, to), not [${from}, ${to})`);
  checkLength('results', results.length, MAX_SUBMIT_RESULTS);
  let lowest = from;
  results.forEach((result, index) => {
    checkResult(result, index, rule);
    if (!isCount(result.offset) || result.offset < lowest || result.offset >= to) {
      refuse(`offset ${result.offset} of result ${index} does not ascend inside [${from}, ${to})`);
    }
    // One record may make several orders, but no more than one result.
    lowest = 'order' in result ? result.offset : result.offset + 1;
  });
}

/** Throws RankingCallError, naming the first player that is wrong. */
export function checkMarked(players: readonly PlayerToMark[]): void {
  checkLength('players', players.length, MAX_MARKS);
  players.forEach(checkPlayer);
}

/** Throws RankingCallError, naming the first entry that is wrong. */
export function checkSettle({ playerId }: Mark, folded: readonly FoldedEntry[]): void {
  for (const { list, score } of folded) {
    checkList(playerId, list);
    if (score !== null) checkScore(playerId, score);
  }
}

/** Throws RankingCallError, naming the first entry that is wrong. */
export function checkChunk(entries: readonly FillEntry[]): void {
  checkLength('entries', entries.length, MAX_FILL_CHUNK);
  entries.forEach(({ playerId, list, score }, index) => {
    checkPlayer({ playerId, lists: [list] }, index);
    checkScore(playerId, score);
  });
}

export function checkAsked(asked: readonly unknown[]): void {
  checkLength('rows', asked.length, MAX_READ_PLAYERS);
}

export function checkNeighbours(asked: readonly AroundAsk[]): void {
  checkLength('rows', rowsAsked(asked), MAX_NEIGHBOUR_ROWS);
}

function checkLength(things: string, length: number, limit: number): void {
  if (length > limit) refuse(`${length} ${things} in one call; cut them into calls of at most ${limit}`);
}

function checkResult(result: SubmitResult, index: number, rule: Rule): void {
  checkPlayer(result, index);
  if ('order' in result) return;
  if (result.lists.length === 0) refuse(`the result of player ${result.playerId} counts in no list`);
  checkScore(result.playerId, result.score);
  if (rule === 'sum') checkIdentity(result);
}

function checkPlayer({ playerId, lists }: PlayerToMark, index: number): void {
  if (!isValidId(playerId))
    refuse(`player id ${index} of the call is not an id; results are judged before they get here`);
  for (const list of lists) checkList(playerId, list);
}

function checkList(playerId: string, { name, keptUntil }: TagList): void {
  if (name === '') refuse(`a list of player ${playerId} has no name`);
  if (keptUntil !== null && !isCount(keptUntil)) refuse(`list ${name} ends at ${keptUntil}, which is no time`);
}

function checkScore(playerId: string, score: number): void {
  if (!isCount(score)) refuse(`score ${score} of player ${playerId} is not a whole number from 0 to 2^53-1`);
}

function checkIdentity({ playerId, offset, identity }: ScoredResult): void {
  if (identity && HASH.test(identity.hash) && isCount(identity.achievedAt)) return;
  refuse(`the result of player ${playerId} at offset ${offset} has no identity, which the rule sum needs`);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refuse(message: string): never {
  throw new RankingCallError(message);
}
