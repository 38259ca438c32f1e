import { describe, expect, it } from 'vitest';
import { loadBoards } from '../../src/boards.js';
import { readControlRecord } from '../../src/domain/control-record.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { KeptResult } from '../../src/domain/kept-result.js';
import { finalAt } from '../../src/domain/season.js';
import { INGEST_TOKEN, parseBody, TestApi, tokens } from './call-api.js';

const ROUTES: readonly (readonly [method: string, path: string, body: object])[] = [
  ['POST', '/v1/results/m1/42/void', {}],
  ['POST', '/v1/results/m1/42/correct', { points: 7 }],
  ['PUT', '/v1/players/42/hidden', {}],
  ['DELETE', '/v1/players/42/hidden', {}],
];

async function order(method: string, path: string, body: unknown = '', api = new TestApi()) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.call(method, path, { token: INGEST_TOKEN, body: text });
  const appended = api.appended.map(({ key, value }) => [key, JSON.parse(Buffer.from(value).toString())]);
  return { status: response.status, body: parseBody(response), appended };
}

describe('orders over HTTP', () => {
  it.each(ROUTES)(
    '%s %s: answers 202 when its one record is durable, under the player id',
    async (method, path, body) => {
      const answer = await order(method, path, body);
      expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
      expect(answer.appended).toEqual([['42', expect.objectContaining({ playerId: '42' })]]);
    },
  );

  it.each(ROUTES)('%s %s: is for game servers only', async (method, path, body) => {
    const api = new TestApi();
    const text = JSON.stringify(body);
    expect((await api.call(method, path, { token: await tokens.sign('42', 60), body: text })).status).toBe(401);
    expect((await api.call(method, path, { body: text })).status).toBe(401);
    expect(api.appended).toEqual([]);
  });

  it.each(ROUTES)('%s %s: answers 422 with the rejection where it names nobody', async (method, path, body) => {
    const long = 'x'.repeat(65);
    const answer = await order(method, path.replace('42', long), body);
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 422, rejected: [{ field: 'playerId', code: 'bad_id', message: expect.any(String) }] },
      appended: [],
    });
  });

  it.each(ROUTES)('%s %s: answers 503 where it cannot be made durable now', async (method, path, body) => {
    const append = () => Promise.reject(new StoreUnavailableError('Kafka does not answer'));
    expect(await order(method, path, body, new TestApi({ appender: { append } }))).toMatchObject({ status: 503 });
  });
});

describe('an order about a result of a season that is final', () => {
  const [season] = loadBoards().calendar.seasons;
  if (season === undefined) throw new Error('no season');
  const { calendar } = loadBoards();
  const FINAL_AT = finalAt(calendar, season);
  const RESULT_ORDERS = ROUTES.filter(([, path]) => path.startsWith('/v1/results/'));
  const kept: KeptResult = {
    ...{ mode: 'arena', fields: { points: 5 }, achievedAt: season.endsAt - 1, scopes: {}, brokerAt: season.endsAt },
    ...{ voidedAt: null, correctedAt: null, source: 'kafka:t', partition: 0, offset: 0 },
  };
  const holding = { find: async () => kept };

  it.each(RESULT_ORDERS)('%s %s: is answered 409, and no record is made of it', async (method, path, body) => {
    const answer = await order(method, path, body, new TestApi({ results: holding, now: () => FINAL_AT }));
    expect(answer).toMatchObject({ status: 409, body: { code: 409, reason: 'season_final' }, appended: [] });
    expect(answer.body).toMatchObject({ type: '/problems/conflict', detail: expect.stringContaining('season 1') });
  });

  it.each(RESULT_ORDERS)('%s %s: is taken until the grace of the season ends', async (method, path, body) => {
    const api = new TestApi({ results: holding, now: () => FINAL_AT - 1 });
    expect(await order(method, path, body, api)).toMatchObject({ status: 202 });
  });

  it('is taken where truth does not know the result, or cannot be asked: the log’s reader judges it', async () => {
    const away = { find: () => Promise.reject(new StoreUnavailableError('PostgreSQL does not answer')) };
    for (const results of [{ find: async () => null }, away]) {
      const api = new TestApi({ results, now: () => FINAL_AT });
      expect(await order('POST', '/v1/results/m1/42/void', {}, api)).toMatchObject({ status: 202 });
    }
  });

  it('hides its player all the same', async () => {
    const api = new TestApi({ results: holding, now: () => FINAL_AT });
    expect(await order('PUT', '/v1/players/42/hidden', {}, api)).toMatchObject({ status: 202 });
  });
});

it('takes a result back whatever its ids look like in a path', async () => {
  const path = `/v1/results/${encodeURIComponent('m/1')}/${encodeURIComponent('é 42')}/void`;
  expect((await order('POST', path)).appended).toEqual([['é 42', { kind: 'void', matchId: 'm/1', playerId: 'é 42' }]]);
});

it('hides a player, and shows him again', async () => {
  expect((await order('PUT', '/v1/players/42/hidden')).appended).toEqual([['42', { kind: 'hide', playerId: '42' }]]);
  expect((await order('DELETE', '/v1/players/42/hidden')).appended).toEqual([
    ['42', { kind: 'unhide', playerId: '42' }],
  ]);
});

describe('POST /v1/results/{matchId}/{playerId}/correct', () => {
  const path = '/v1/results/m1/42/correct';
  const corrected = { kind: 'correct', matchId: 'm1', playerId: '42', mode: 'arena', points: { points: 7 } };

  it('writes down the mode and each field, as the log’s readers take them, and nothing else that was sent', async () => {
    for (const body of [
      { points: 7 },
      { points: 7, mode: 'arena' },
      { points: { points: 7 } },
      { points: 7, matchId: 'other', kind: 'void', note: 'x' },
    ]) {
      expect((await order('POST', path, body)).appended).toEqual([['42', corrected]]);
    }
    expect(readControlRecord(corrected, loadBoards())).toMatchObject({ kind: 'correct', fields: { points: 7 } });
  });

  it.each([
    ['points_out_of_range', { points: -1 }],
    ['points_out_of_range', { points: 2_097_152 }],
    ['points_not_integer', { points: 1.5 }],
    ['missing', {}],
    ['missing', null],
    ['missing', [{ points: 7 }]],
    ['unknown_mode', { points: 7, mode: 'duel' }],
  ])('answers 422 with %s for %j', async (code, body) => {
    const answer = await order('POST', path, JSON.stringify(body));
    expect(answer).toMatchObject({ status: 422, body: { rejected: [{ code }] }, appended: [] });
  });

  it('answers 400 for broken JSON', async () => {
    expect(await order('POST', path, '{')).toMatchObject({ status: 400, appended: [] });
  });
});
