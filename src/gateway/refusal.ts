/** Requests that cannot be met, and what of an error a client may be told. */

import { ErrorCode } from '../../proto/frames.js';
import { StoreUnavailableError } from '../domain/errors.js';

/** When a client may ask again for what a store could not answer. */
export const RETRY_AFTER_MS = 1_000;

/** A request that cannot be met; it becomes an ERROR frame. */
export class RefusedError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Neither the client's nor a store's. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof RefusedError) && !(error instanceof StoreUnavailableError);
}

export function asRefusal(error: unknown): { code: number; message: string; retryAfterMs: number | null } {
  if (error instanceof RefusedError) return error;
  if (error instanceof StoreUnavailableError) {
    return { code: ErrorCode.unavailable, message: 'the board cannot be read now', retryAfterMs: RETRY_AFTER_MS };
  }
  // The text of an unexpected error may hold what clients must not see.
  return { code: ErrorCode.internal, message: 'internal error', retryAfterMs: RETRY_AFTER_MS };
}
