/** The one error class of the SDK. */

/** `code` of errors that arose on this side: a listener that threw, a token that could not be had, no WebSocket here. */
export const LOCAL_ERROR = 0;

export interface LeaderboardErrorOptions {
  readonly retryable: boolean;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/** Not a RankcastError: that class belongs to the server, and the SDK carries nothing it does not need. */
export class LeaderboardError extends Error {
  /** HTTP-shaped (404 no such board) from ERROR and UNSUBSCRIBED, 1000 and above from a close, 0 for this side. */
  readonly code: number;
  /** The SDK tries again by itself; where `false`, something has to change first. */
  readonly retryable: boolean;
  /** How long the server asked to wait, `null` where it said nothing. */
  readonly retryAfterMs: number | null;

  constructor(code: number, message: string, options: LeaderboardErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LeaderboardError';
    this.code = code;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The codes of ERROR and UNSUBSCRIBED after which the same request may succeed. */
export function isRetryableCode(code: number): boolean {
  return code === 429 || code >= 500;
}
