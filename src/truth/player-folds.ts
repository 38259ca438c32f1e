/** What a marked player is settled with: how far truth is, and what his rows below some positions come to. */

import type { Pool } from 'pg';
import type { Position } from '../domain/log-record.js';
import { type FoldScope, foldPlayer } from './fold-scores.js';
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

  /** `null` where he has no row there. */
  async fold(scope: FoldScope, playerId: string, below: readonly Position[]): Promise<number | null> {
    return await foldPlayer(this.pool, scope, playerId, below).catch((error: unknown) => {
      throw toStoreError(error);
    });
  }
}
