/** HTTP on uWebSockets.js: natively matched routes, requests copied out before they vanish, responses in one cork. */

import { STATUS_CODES } from 'node:http';
import type { HttpRequest, HttpResponse, TemplatedApp } from './uws.js';

export interface EndpointRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly pattern: string;
}

export interface EndpointResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** A request as it came, nothing decoded. */
export interface EndpointRequest {
  readonly method: string;
  readonly path: string;
  readonly params: readonly string[];
  readonly query: string;
  header(name: string): string | undefined;
  body(): Promise<Uint8Array>;
}

/** Gathers one body; `push` throws where it becomes too large. */
export interface BodySink {
  push(chunk: Uint8Array): void;
  bytes(): Uint8Array;
}

export interface HttpEndpoint {
  readonly routes: readonly EndpointRoute[];
  /** Never rejects. */
  respond(routeIndex: number, request: EndpointRequest): Promise<EndpointResponse>;
  respondUnmatched(method: string, path: string): EndpointResponse;
  newBody(): BodySink;
}

export function serveHttp(app: TemplatedApp, endpoint: HttpEndpoint): void {
  endpoint.routes.forEach((route, index) => {
    const handler = (res: HttpResponse, req: HttpRequest): void => {
      const exchange = new Exchange(res);
      const request = copyRequest(route, req, readBody(route, res, endpoint));
      void endpoint.respond(index, request).then((response) => exchange.end(response));
    };
    if (route.method === 'GET') app.get(route.pattern, handler);
    else if (route.method === 'POST') app.post(route.pattern, handler);
    else if (route.method === 'PUT') app.put(route.pattern, handler);
    else app.del(route.pattern, handler);
  });
  app.any('/*', (res, req) => {
    new Exchange(res).end(endpoint.respondUnmatched(req.getCaseSensitiveMethod(), req.getUrl()));
  });
}

/** The native request lives until the handler returns; everything is taken from it now. */
function copyRequest(route: EndpointRoute, req: HttpRequest, body: Promise<Uint8Array>): EndpointRequest {
  const headers = new Map<string, string>();
  req.forEach((name, value) => {
    headers.set(name, value);
  });
  const params = route.pattern.split('/').filter((segment) => segment.startsWith(':'));
  return {
    method: route.method,
    path: req.getUrl(),
    params: params.map((_name, index) => req.getParameter(index)),
    // Undefined where the URL has no `?`, whatever the typings say.
    query: (req.getQuery() as string | undefined) ?? '',
    header: (name) => headers.get(name),
    body: () => body,
  };
}

const NO_BODY: Promise<Uint8Array> = Promise.resolve(new Uint8Array());

/** Reading must begin before the handler returns, whether or not the route will ask for the body. */
function readBody(route: EndpointRoute, res: HttpResponse, endpoint: HttpEndpoint): Promise<Uint8Array> {
  if (route.method === 'GET') return NO_BODY;
  const sink = endpoint.newBody();
  const body = new Promise<Uint8Array>((resolve, reject) => {
    res.onData((chunk, isLast) => {
      try {
        sink.push(new Uint8Array(chunk));
        if (isLast) resolve(sink.bytes());
      } catch (error) {
        reject(error);
      }
    });
  });
  // A route that answers without the body leaves this rejection to nobody.
  body.catch(() => {});
  return body;
}

/** One response that may find its socket gone. */
class Exchange {
  private isOver = false;

  constructor(private readonly res: HttpResponse) {
    res.onAborted(() => {
      this.isOver = true;
    });
  }

  end(response: EndpointResponse): void {
    if (this.isOver) return;
    this.isOver = true;
    this.res.cork(() => {
      this.res.writeStatus(`${response.status} ${STATUS_CODES[response.status] ?? ''}`);
      for (const [name, value] of Object.entries(response.headers)) this.res.writeHeader(name, value);
      this.res.end(response.body);
    });
  }
}
