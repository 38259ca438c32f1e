import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { HttpEndpoint } from '../../src/gateway/uws-http.js';
import { Endpoint } from '../../src/http/endpoint.js';
import { jsonResponse } from '../../src/http/http.js';

const endpoint: HttpEndpoint = new Endpoint({
  routes: [
    { method: 'GET', pattern: '/a', handle: async () => jsonResponse(200, 'a') },
    { method: 'GET', pattern: '/b/:id', handle: async ({ params }) => jsonResponse(200, params) },
  ],
  logger: pino({ level: 'silent' }),
});
const request = { method: 'GET', path: '/b/x', params: ['%2B'], query: '', header: () => undefined };

it('answers with the route of the index, and 404 where there is none', async () => {
  const raw = { ...request, body: async () => new Uint8Array() };
  expect(await endpoint.respond(1, raw)).toMatchObject({ status: 200, body: '["+"]' });
  expect((await endpoint.respond(2, { ...raw, path: '/c' })).status).toBe(404);
  expect(endpoint.respondUnmatched('post', '/a')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
});
