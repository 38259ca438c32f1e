/** From a raw request to a response that is always there: decoding before the handler, problems for whatever it throws. */

import type { Logger } from 'pino';
import { RecordTooLargeError, StoreUnavailableError } from '../domain/errors.js';
import type { HttpResponse, RawRequest, Route } from './http.js';
import { Problem, problemResponse, unavailable } from './problem.js';
import { decodeParam, parseQuery } from './query.js';

/** Answers with the route that matched. Never rejects. */
export async function respond(route: Route, raw: RawRequest, logger: Logger): Promise<HttpResponse> {
  try {
    return await route.handle({
      method: raw.method.toUpperCase(),
      path: raw.path,
      params: raw.params.map(decodeParam),
      query: parseQuery(raw.query),
      header: (name) => raw.header(name),
      body: () => raw.body(),
    });
  } catch (error) {
    return problemResponse(toProblem(error, route, logger), raw.path);
  }
}

/** Answers what no route matched: 405 where the path exists with other methods, else 404. */
export function respondUnmatched(routes: readonly Route[], method: string, path: string): HttpResponse {
  const allowed = routes.filter((route) => matchesPattern(route.pattern, path)).map((route) => route.method);
  if (allowed.length === 0) {
    return problemResponse(new Problem('not-found', `${path.slice(0, 200)} is not a path of this server`), path);
  }
  const allow = [...new Set(allowed)].sort().join(', ');
  const detail = `${method.toUpperCase()} is not a method of this path: use ${allow}`;
  return problemResponse(new Problem('method-not-allowed', detail, { headers: { allow } }), path);
}

/** Whether a raw path has the pattern's segments; `:name` stands for one that is not empty. */
export function matchesPattern(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}

function toProblem(error: unknown, route: Route, logger: Logger): Problem {
  if (error instanceof Problem) return error;
  const at = { err: error, method: route.method, pattern: route.pattern };
  if (error instanceof StoreUnavailableError) {
    logger.warn(at, 'a store does not answer');
    return unavailable('a store does not answer now: send the same call again');
  }
  if (error instanceof RecordTooLargeError) return new Problem('too-large', error.message);
  logger.error(at, 'a request failed');
  return new Problem('internal', 'the server failed at this request; its log says why');
}
