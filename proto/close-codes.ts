/** Close codes and the one rule: 44xx your side, do not retry (three exceptions); everything else retry with backoff. */

export const CloseCode = {
  normal: 1000,
  goingAway: 1001,
  frameTooBig: 1009,
  badFrame: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  helloLate: 4408,
  replaced: 4409,
  revoked: 4410,
  tooMany: 4429,
  internal: 4500,
  draining: 4503,
  /** Clients', for themselves: no sign of life from the server. Servers never send it. */
  heartbeatMissed: 4504,
  tooSlow: 4508,
} as const;
export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

/** What a client does after a close: `new-token` is once, with a fresh token. */
export type RetryAnswer = 'no' | 'yes' | 'new-token';

export function retryAfterClose(code: number): RetryAnswer {
  if (code === CloseCode.unauthorized) return 'new-token';
  if (code === CloseCode.helloLate || code === CloseCode.tooMany) return 'yes';
  if (code === CloseCode.normal || code === CloseCode.frameTooBig) return 'no';
  return code >= 4400 && code < 4500 ? 'no' : 'yes';
}
