/** What a marked player is settled with: how far truth is, and what his rows below some positions come to, list by list. */

import type { Pool } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import type { Position } from '../domain/log-record.js';
import type { FoldedEntry } from '../domain/marks.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { type SubjectRow, subjectScores } from './fold-scores.js';
import { readAllPositions } from './source-positions.js';
import { toStoreError } from './store-errors.js';

/**
 * Positions and rows need no common snapshot: truth only moves on, and rows below a position that it has reached are
 * there for good.
 */
export class PlayerFolds {
  constructor(private readonly pool: Pool) {}

  async positions(): Promise<readonly Position[]> {
    return await readAllPositions(this.pool).catch((error: unknown) => {
      throw toStoreError(error);
    });
  }

  /**
   * Every list that a row of the subject below the positions names, voided rows included: where nothing else is there, its
   * score is `null`, so that the ranking takes him out. Each list once, in no order.
   */
  async fold(scope: BoardSeason, subject: string, below: readonly Position[]): Promise<FoldedEntry[]> {
    const { text, values } = subjectScores(scope, subject, below);
    const { rows } = await this.pool.query<SubjectRow>(text, [...values]).catch((error: unknown) => {
      throw toStoreError(error);
    });
    return rows.map(({ list, score }) => ({
      list: scope.lists.named(list),
      score: score === null ? null : parseSafeInteger(score, 'packed score'),
    }));
  }
}
