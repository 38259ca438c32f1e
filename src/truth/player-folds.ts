/** What a marked player is settled with: how far truth is, and what his rows below some positions come to, list by list. */

import type { Pool, PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { countBehind, type Position } from '../domain/log-record.js';
import type { FoldedEntry } from '../domain/marks.js';
import { mergeScores } from '../domain/rules.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { utcDay } from './day-partitions.js';
import { readDays } from './day-windows.js';
import { DetachedDaysError, needsDays } from './detached-days.js';
import { detachedEntries, readDetachedFold } from './detached-entries.js';
import { type SubjectFoldOptions, type SubjectRow, subjectScores } from './fold-scores.js';
import { readAllPositions } from './source-positions.js';
import { Binder } from './statement.js';
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
   * nothing else is there, its score is `null`, so that the ranking takes him out. Each list once, in no order. Of rows of
   * detached days only lists that counted are named.
   *
   * Throws `DetachedDaysError` where days are detached and what they come to is not there, or counts rows that do not lie
   * below the positions.
   */
  async fold(scope: BoardSeason, subject: string, below: readonly Position[]): Promise<FoldedEntry[]> {
    const options = { below, now: this.clock() };
    const scores = await inTransaction(
      this.pool,
      async (client) => {
        // Before the snapshot: a day that it shows cannot go away until its rows are read.
        await client.query('LOCK TABLE ONLY match_results IN ACCESS SHARE MODE');
        return await readScores(client, scope, subject, options);
      },
      'ISOLATION LEVEL REPEATABLE READ READ ONLY',
    );
    return [...scores].map(([list, score]) => ({ list: scope.lists.named(list), score }));
  }
}

async function readScores(
  client: PoolClient,
  scope: BoardSeason,
  subject: string,
  { below, now }: Pick<SubjectFoldOptions, 'below' | 'now'>,
): Promise<Scores> {
  const what = `folding ${subject} of ${scope.name} anew`;
  const { days: without, positions } = await readDetachedFold(client, scope, what);
  if (countBehind(below, positions) > 0) {
    throw new DetachedDaysError(
      needsDays(`${what}, below positions that lie before those of their detaching,`, without),
    );
  }
  const range = { from: utcDay(scope.season.startsAt), to: utcDay(scope.season.endsAt) };
  const rows = await readDays(client, range, async (days) => {
    const { text, values } = subjectScores(scope, subject, { below, days, without, now });
    return (await client.query<SubjectRow>(text, [...values])).rows;
  });
  if (without.length > 0) {
    const bind = new Binder();
    const entries = detachedEntries(scope, { subjects: [subject], now }, bind);
    rows.push(...(await client.query<SubjectRow>(entries, bind.values)).rows);
  }
  return mergeRows(scope, rows);
}

function mergeRows({ definition }: BoardSeason, rows: readonly SubjectRow[]): Scores {
  const scores: Scores = new Map();
  for (const { list, score } of rows) {
    const held = scores.get(list) ?? null;
    const merged = score === null ? held : mergeScores(definition.merge, held, parseSafeInteger(score, 'packed score'));
    scores.set(list, merged);
  }
  return scores;
}
