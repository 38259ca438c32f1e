import { expect, it } from 'vitest';
import { adminRoutes } from '../../src/http/health-routes.js';
import { Metrics } from '../../src/ops/metrics.js';
import { Readiness } from '../../src/ops/readiness.js';
import { parseBody, TestApi } from './call-api.js';

it('is alive from the first moment, ready once started, not ready while a dependency is away or draining', async () => {
  const api = new TestApi();
  const { readiness } = api;
  const status = async () => (await api.call('GET', '/readyz')).status;
  expect((await api.call('GET', '/livez')).status).toBe(200);
  expect(await status()).toBe(503);
  readiness.markReady('postgres');
  readiness.serve();
  expect(await status()).toBe(200);
  readiness.markNotReady('redis', 'connection refused');
  const away = await api.call('GET', '/readyz');
  expect(away.status).toBe(503);
  expect(parseBody(away)).toEqual({
    status: 'not-ready',
    dependencies: {
      postgres: { isReady: true, reason: null },
      redis: { isReady: false, reason: 'connection refused' },
    },
  });
  readiness.markReady('redis');
  readiness.drain();
  expect(await status()).toBe(503);
  expect((await api.call('GET', '/livez')).status).toBe(200);
});

it('serves metrics on the admin port only', async () => {
  const metrics = new Metrics({ version: '1.2.3', proto: 'p' });
  try {
    const routes = adminRoutes(new Readiness(), metrics);
    expect(routes.map(({ pattern }) => pattern)).toEqual(['/livez', '/readyz', '/metrics']);
    expect(new TestApi().routes.map(({ pattern }) => pattern)).not.toContain('/metrics');
    const request = { method: 'GET', path: '/metrics', params: [], query: new Map(), header: () => undefined };
    const page = await routes[2]?.handle({ ...request, body: async () => new Uint8Array() });
    expect(page?.headers['content-type']).toContain('text/plain');
    expect(page?.body).toContain('rankcast_build_info{version="1.2.3",commit="unknown",proto="p"} 1');
  } finally {
    metrics.close();
  }
});
