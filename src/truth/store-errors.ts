/** What an error of PostgreSQL means for the caller: try again, or never with these rows. */

import { RankcastError, StoreUnavailableError } from '../domain/errors.js';
import { countBehind, type Position } from '../domain/log-record.js';

/** PostgreSQL refused the values themselves (SQLSTATE class 22): the same rows can never be stored. */
export class StoreRefusedError extends RankcastError {
  readonly isRetryable = false;
}

export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

const OUT_OF_LOCKS =
  "PostgreSQL's table of locks is full: raise its setting max_locks_per_transaction (default 64) and restart it; " +
  'the start of every server says to what';

/** Memory of any kind runs out under this state; the hint, whose name of the setting is never translated, tells locks. */
function isOutOfLocks(error: unknown): boolean {
  if (sqlStateOf(error) !== '53200' || !(error instanceof Error) || !('hint' in error)) return false;
  return String(error.hint).includes('max_locks_per_transaction');
}

/** Everything but refused values is worth another try: connections come back, locks go, a schema is restored. */
export function toStoreError(error: unknown): Error {
  if (error instanceof RankcastError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const state = sqlStateOf(error);
  if (state?.startsWith('22')) return new StoreRefusedError(`PostgreSQL refused a value: ${reason}`, { cause: error });
  if (isOutOfLocks(error)) return new StoreUnavailableError(OUT_OF_LOCKS, { cause: error });
  return new StoreUnavailableError(`PostgreSQL cannot be used now: ${reason || 'no answer'}`, { cause: error });
}

/** A database that was restored meanwhile is behind again: what is asked for is not all there. */
export function refuseBeyond(positions: readonly Position[], below: readonly Position[]): void {
  const behind = countBehind(positions, below);
  if (behind === 0) return;
  throw new StoreUnavailableError(
    `PostgreSQL lacks ${behind} records of the log that a fill needs: it starts again when they are there.`,
  );
}
