import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { type Handler, jsonResponse, type RawRequest, type Route } from '../../src/http/http.js';
import { matchesPattern, respond, respondUnmatched } from '../../src/http/respond.js';
import { parseBody, TestApi } from './call-api.js';

const logger = pino({ level: 'silent' });
const raw: RawRequest = {
  method: 'get',
  path: '/x',
  params: [],
  query: '',
  header: () => undefined,
  body: async () => new Uint8Array(),
};

function route(handle: Handler): Route {
  return { method: 'GET', pattern: '/x', handle };
}

describe('a response', () => {
  it('is there whatever the handler throws, and tells nothing of the inside', async () => {
    const failing = route(() => Promise.reject(new Error('password is hunter2')));
    const response = await respond(failing, raw, logger);
    expect(response.status).toBe(500);
    expect(response.body).not.toContain('hunter2');
    expect(parseBody(response)).toEqual({
      type: '/problems/internal',
      title: 'The server failed',
      status: 500,
      detail: expect.any(String),
      instance: '/x',
      code: 500,
    });
  });

  it('is 503 with Retry-After where a store does not answer', async () => {
    const response = await respond(
      route(() => Promise.reject(new StoreUnavailableError('redis is away'))),
      raw,
      logger,
    );
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it('is 400 for what cannot be decoded, before the handler is asked', async () => {
    let asked = 0;
    const counting = route(async () => {
      asked += 1;
      return jsonResponse(200, {});
    });
    expect((await respond(counting, { ...raw, query: 'a=%E0%A4%A' }, logger)).status).toBe(400);
    expect((await respond(counting, { ...raw, params: ['%'] }, logger)).status).toBe(400);
    expect(asked).toBe(0);
    expect((await respond(counting, raw, logger)).status).toBe(200);
    expect(asked).toBe(1);
  });
});

describe('what no route takes', () => {
  it('is 404, or 405 with the methods of the path', async () => {
    const api = new TestApi();
    expect(await api.call('GET', '/v1/nothing')).toMatchObject({ status: 404 });
    expect(await api.call('POST', '/v1/boards')).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    const friend = respondUnmatched(api.routes, 'patch', '/v1/players/a/friends/b');
    expect(friend).toMatchObject({ status: 405, headers: { allow: 'DELETE, PUT' } });
    expect(parseBody(friend)).toMatchObject({ type: '/problems/method-not-allowed', code: 405 });
  });

  it.each([
    ['/a/:b', '/a/x', true],
    ['/a/:b', '/a/', false],
    ['/a/:b', '/a/x/', false],
    ['/a/:b', '/a/x/y', false],
    ['/a', '/a', true],
    ['/', '/', true],
  ])('the pattern %s and the path %s: %s', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });
});
