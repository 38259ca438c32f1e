/** HTTP as the handlers see it: plain requests, responses and routes, whatever server carries them. */

/** What a client may send in one body. */
export const MAX_BODY_BYTES = 1_048_576;

/** A request as the server got it: nothing decoded yet. */
export interface RawRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The segments that the pattern's `:names` matched, in order, as they stood in the path. */
  readonly params: readonly string[];
  /** Without the `?`; empty where there was none. */
  readonly query: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** Rejects with a 413 `Problem` above `MAX_BODY_BYTES` (see `BodyCollector`). Called at most once. */
  body(): Promise<Uint8Array>;
}

/** A request for a handler: path parameters and query decoded exactly once. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  /** One for each `:name` of the pattern, never missing. */
  readonly params: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  header(name: string): string | undefined;
  body(): Promise<Uint8Array>;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; content-length is the server's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/boards/:boardId/entries`: whole segments only. */
  readonly pattern: string;
  readonly handle: Handler;
}

/** Own data must not rest in a shared cache; the rest of the live data is old in a second. */
export const PRIVATE = { 'cache-control': 'private, no-cache' } as const;
export const PUBLIC_WINDOW = { 'cache-control': 'public, max-age=1, stale-while-revalidate=5' } as const;
export const NO_STORE = { 'cache-control': 'no-store' } as const;

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = NO_STORE,
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
    body: JSON.stringify(value),
  };
}

export function emptyResponse(status: number): HttpResponse {
  return { status, headers: NO_STORE, body: '' };
}
