/** A judged result as a tag that takes its mode and season merges it. */

import type { BoardSeason } from '../domain/board-season.js';
import type { LogRecord } from '../domain/log-record.js';
import type { Result } from '../domain/result.js';
import type { ScoredResult } from '../domain/submit.js';
import { scoreIn } from './open-tags.js';
import { resultIdentity } from './result-identity.js';

/** One, or none where the result has nothing of what the board ranks. */
export function scoredFor(tag: BoardSeason, result: Result, { offset, brokerAt }: LogRecord): readonly ScoredResult[] {
  const subject = tag.lists.subjectOf(result.playerId, result);
  if (subject === undefined) return [];
  const lists = tag.lists.listsOf(result);
  const scored = { playerId: subject, score: scoreIn(tag, result), lists, offset, at: brokerAt };
  return [tag.definition.merge.rule === 'sum' ? { ...scored, identity: resultIdentity(result) } : scored];
}
