/** What a server adapter is given: a table of routes, and an answer for each request, matched or not. */

import type { Logger } from 'pino';
import { BodyCollector } from './body.js';
import type { HttpResponse, RawRequest, Route } from './http.js';
import { respond, respondUnmatched } from './respond.js';

export interface EndpointOptions {
  readonly routes: readonly Route[];
  readonly logger: Logger;
}

export class Endpoint {
  readonly routes: readonly Route[];
  private readonly logger: Logger;

  constructor(options: EndpointOptions) {
    this.routes = options.routes;
    this.logger = options.logger;
  }

  /** Answers the request that matched `routes[routeIndex]`. Never rejects. */
  async respond(routeIndex: number, request: RawRequest): Promise<HttpResponse> {
    const route = this.routes[routeIndex];
    if (route === undefined) return this.respondUnmatched(request.method, request.path);
    return respond(route, request, this.logger);
  }

  /** 404, or 405 where the path has other methods. */
  respondUnmatched(method: string, path: string): HttpResponse {
    return respondUnmatched(this.routes, method, path);
  }

  newBody(): BodyCollector {
    return new BodyCollector();
  }
}
