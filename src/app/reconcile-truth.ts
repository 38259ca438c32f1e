/** Truth as a reconcile needs it, of the database: a fresh checkpoint, and what single players come to. */

import type { Pool } from 'pg';
import type { ReconciledTruth } from '../rebuild/reconcile-stores.js';
import type { TruthSource } from '../rebuild/truth-source.js';
import { readHidden } from '../truth/hidden-players.js';
import { PlayerFolds } from '../truth/player-folds.js';
import { toStoreError } from '../truth/store-errors.js';
import { TruthSnapshots } from '../truth/truth-snapshot.js';

export function reconciledTruth(pool: Pool): ReconciledTruth & TruthSource {
  const folds = new PlayerFolds(pool);
  const snapshots = new TruthSnapshots(pool, Date.now, 'checkpoint');
  return {
    positions: () => folds.positions(),
    fold: (...call) => folds.fold(...call),
    hidden: (scope) =>
      readHidden(pool, scope).catch((error: unknown) => {
        throw toStoreError(error);
      }),
    lock: (tagName) => snapshots.lock(tagName),
  };
}
