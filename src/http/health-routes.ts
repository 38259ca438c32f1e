/** Health for orchestrators and balancers, and the metrics. */

import type { Readiness } from '../ops/readiness.js';
import { jsonResponse, NO_STORE, type Route } from './http.js';

/** What a page of metrics takes; `Metrics` of ops has it. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}

/** For both ports. `/livez`: the event loop runs. `/readyz`: 503 while starting, draining, or without a dependency. */
export function healthRoutes(readiness: Readiness): readonly Route[] {
  return [
    { method: 'GET', pattern: '/livez', handle: async () => jsonResponse(200, { status: 'ok' }) },
    {
      method: 'GET',
      pattern: '/readyz',
      handle: async () => {
        const report = readiness.report();
        return jsonResponse(report.status === 'ready' ? 200 : 503, report);
      },
    },
  ];
}

/** For the admin port only. */
export function adminRoutes(readiness: Readiness, metrics: MetricsPage): readonly Route[] {
  return [
    ...healthRoutes(readiness),
    {
      method: 'GET',
      pattern: '/metrics',
      handle: async () => {
        const headers = { ...NO_STORE, 'content-type': metrics.contentType };
        return { status: 200, headers, body: await metrics.render() };
      },
    },
  ];
}
