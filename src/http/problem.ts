/** Problems: what went wrong with a request, as RFC 9457 application/problem+json. */

import { RankcastError } from '../domain/errors.js';
import { type HttpResponse, NO_STORE } from './http.js';

/** Each kind has a stable `type`, `/problems/<kind>`. `code` is the number that a socket would answer with. */
const KINDS = {
  'bad-request': { status: 400, title: 'The request cannot be read' },
  unauthorized: { status: 401, title: 'A valid token is needed' },
  forbidden: { status: 403, title: 'The token does not allow this' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'This path has other methods' },
  conflict: { status: 409, title: 'The current state does not allow this' },
  'too-large': { status: 413, title: 'The request is too large' },
  unprocessable: { status: 422, title: 'The request asks for something that cannot be' },
  'too-many': { status: 429, title: 'Too many calls' },
  internal: { status: 500, title: 'The server failed' },
  unavailable: { status: 503, title: 'The server cannot answer now' },
} as const;

export type ProblemKind = keyof typeof KINDS;

export interface ProblemExtras {
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Thrown by handlers; the message is the `detail`: what is wrong and what to do. */
export class Problem extends RankcastError {
  readonly isRetryable: boolean;

  constructor(
    readonly kind: ProblemKind,
    detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
    this.isRetryable = kind === 'unavailable' || kind === 'internal' || kind === 'too-many';
  }
}

export function badRequest(detail: string): Problem {
  return new Problem('bad-request', detail);
}

/** Try the same call again in a second. */
export function unavailable(detail: string): Problem {
  return new Problem('unavailable', detail, { headers: { 'retry-after': '1' } });
}

/** `instance` is the path of the request. */
export function problemResponse(problem: Problem, instance: string): HttpResponse {
  const { status, title } = KINDS[problem.kind];
  const { headers = {}, members = {} } = problem.extras;
  const type = `/problems/${problem.kind}`;
  return {
    status,
    headers: {
      ...NO_STORE,
      'x-content-type-options': 'nosniff',
      ...headers,
      'content-type': 'application/problem+json',
    },
    body: JSON.stringify({ type, title, status, detail: problem.message, instance, code: status, ...members }),
  };
}
