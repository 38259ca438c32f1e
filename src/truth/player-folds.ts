/** What a marked player is settled with: how far truth is, and what his rows below some positions come to, list by list. */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { countBehind, type Position } from '../domain/log-record.js';
import type { FoldedEntry } from '../domain/marks.js';
import { mergeScores } from '../domain/rules.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { readCheckpoint } from './checkpoint-record.js';
import { readDetachedDays, refuseWithoutDays } from './detached-days.js';
import { readDirty } from './dirty-subjects.js';
import { type SubjectFoldOptions, type SubjectRow, subjectScores } from './fold-scores.js';
import { readAllPositions } from './source-positions.js';
import { toStoreError } from './store-errors.js';
import { inTransaction } from './transaction.js';

type Scores = Map<string, number | null>;

/** `clock`: what time it is, for lists that are not kept any more. */
export class PlayerFolds {
  constructor(
    private readonly pool: Pool,
    private readonly clock: () => number = Date.now,
  ) {}

  async positions(): Promise<readonly Position[]> {
    return await readAllPositions(this.pool).catch((error: unknown) => {
      throw toStoreError(error);
    });
  }

  /**
   * Every list, of those that are kept, that a row of the subject below the positions names, voided rows included: where
   * nothing else is there, its score is `null`, so that the ranking takes him out. Each list once, in no order.
   *
   * Where days of the season are detached, his entries in the checkpoint stand for the rows that it has seen. Throws
   * `DetachedDaysError` where they cannot: a row of his was changed since, or the checkpoint is ahead of the positions.
   */
  async fold(scope: BoardSeason, subject: string, below: readonly Position[]): Promise<FoldedEntry[]> {
    const options = { below, now: this.clock() };
    try {
      // A day is told of before it is detached: where none is told of afterwards, all rows were there.
      const scores = await readScores(this.pool, scope, subject, options);
      const isComplete = (await readDetachedDays(this.pool, scope.season)).length === 0;
      const whole = isComplete ? scores : await this.foldOnCheckpoint(scope, subject, options);
      return [...whole].map(([list, score]) => ({ list: scope.lists.named(list), score }));
    } catch (error) {
      throw toStoreError(error);
    }
  }

  private async foldOnCheckpoint(scope: BoardSeason, subject: string, options: SubjectFoldOptions): Promise<Scores> {
    const { name, season, lists, definition } = scope;
    return await inTransaction(
      this.pool,
      async (client) => {
        const checkpoint = await readCheckpoint(client, scope);
        const isUsable =
          checkpoint !== null &&
          countBehind(options.below, checkpoint.positions) === 0 &&
          (await readDirty(client, scope, checkpoint, subject)).length === 0;
        if (!isUsable) {
          await refuseWithoutDays(client, season, `folding ${subject} of ${name} anew`);
          return await readScores(client, scope, subject, options);
        }
        const scores = await readScores(client, scope, subject, { ...options, from: checkpoint.positions });
        for (const [list, score] of await readEntries(client, name, subject)) {
          const { keptUntil } = lists.named(list);
          if (keptUntil !== null && keptUntil <= options.now) continue;
          const since = scores.get(list) ?? null;
          scores.set(list, since === null ? score : mergeScores(definition.merge, score, since));
        }
        return scores;
      },
      'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
  }
}

async function readScores(
  client: Pool | PoolClient,
  scope: BoardSeason,
  subject: string,
  options: SubjectFoldOptions,
): Promise<Scores> {
  const { text, values } = subjectScores(scope, subject, options);
  const { rows } = await client.query<SubjectRow>(text, [...values]);
  return new Map(
    rows.map(({ list, score }) => [list, score === null ? null : parseSafeInteger(score, 'packed score')]),
  );
}

async function readEntries(client: PoolClient, tagName: string, subject: string): Promise<Map<string, number>> {
  const { rows } = await client.query<{ list: string; score: string }>(
    'SELECT list, score::text FROM board_checkpoint_entry WHERE tag = $1 AND subject_id = $2',
    [tagName, subject],
  );
  return new Map(rows.map(({ list, score }) => [list, parseSafeInteger(score, 'packed score')]));
}
