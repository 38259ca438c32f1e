import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { INGEST_TOKEN, NOW, parseBody, TestApi, tokens } from './call-api.js';

const overlay = { title: 'Overlay of Ada', boards: ['arena'], windows: ['top'] };

async function make(body: unknown, api = new TestApi()) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.call('POST', '/v1/keys', { token: INGEST_TOKEN, body: text });
  return { status: response.status, headers: response.headers, body: parseBody(response) as Record<string, unknown> };
}

describe('POST /v1/keys', () => {
  it('answers 201 with the key, which no cache may keep', async () => {
    const made = await make(overlay);
    expect(made).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    expect(made.body).toEqual({
      ...overlay,
      keyId: 'id-1',
      key: 'rck_secret-1',
      playerId: null,
      createdAt: NOW,
      expiresAt: null,
      revokedAt: null,
    });
  });

  it('binds it to a player and an end', async () => {
    const made = await make({ ...overlay, windows: ['friends', 'me', 'me'], playerId: '42', expiresInDays: 30 });
    expect(made.body).toMatchObject({ windows: ['me', 'friends'], playerId: '42', expiresAt: NOW + 30 * 86_400_000 });
    expect((await make({ ...overlay, playerId: 42 })).body).toMatchObject({ playerId: '42' });
  });

  it('says of every field at once what is wrong with it', async () => {
    const answer = await make({
      title: '',
      boards: ['arena', 'nowhere'],
      windows: ['me', 'sideways'],
      expiresInDays: 0,
    });
    expect(answer).toMatchObject({ status: 422, headers: { 'content-type': 'application/problem+json' } });
    expect(answer.body['rejected']).toEqual([
      { field: 'title', code: 'bad_title', message: expect.stringContaining('1 to 64 bytes') },
      { field: 'boards', code: 'unknown_name', message: 'boards may hold arena, not "nowhere"' },
      {
        field: 'windows',
        code: 'unknown_name',
        message: 'windows may hold top, me, friends, players, around, not "sideways"',
      },
      { field: 'expiresInDays', code: 'out_of_range', message: expect.stringContaining('1 to 3650') },
    ]);
  });

  it.each([
    ['title', 'bad_title', { ...overlay, title: 'two\nlines' }],
    ['title', 'bad_title', { ...overlay, title: 'x'.repeat(65) }],
    ['title', 'bad_title', { ...overlay, title: '\ud800' }],
    ['boards', 'missing', { ...overlay, boards: [] }],
    ['boards', 'missing', { ...overlay, boards: 'arena' }],
    ['boards', 'unknown_name', { ...overlay, boards: ['arena;s=12'] }],
    ['boards', 'unknown_name', { ...overlay, boards: [['arena']] }],
    ['windows', 'unknown_name', { ...overlay, windows: [null] }],
    ['playerId', 'missing', { ...overlay, windows: ['top', 'me'] }],
    ['playerId', 'missing', { ...overlay, windows: ['friends'], playerId: null }],
    ['playerId', 'bad_id', { ...overlay, playerId: 'a\u0000b' }],
    ['playerId', 'id_not_exact', { ...overlay, playerId: 2 ** 53 }],
    ['expiresInDays', 'out_of_range', { ...overlay, expiresInDays: 1.5 }],
    ['expiresInDays', 'out_of_range', { ...overlay, expiresInDays: '30' }],
    ['player_id', 'unknown_field', { ...overlay, player_id: '42' }],
    ['__proto__', 'unknown_field', JSON.stringify(overlay).replace('{', '{"__proto__":{},')],
  ])('refuses a wrong %s with %s and makes nothing', async (field, code, body) => {
    const api = new TestApi();
    expect(await make(body, api)).toMatchObject({ status: 422, body: { code: 422, rejected: [{ field, code }] } });
    expect(api.keys.made).toEqual([]);
  });

  it.each(['null', '[]', '7', '"x"'])('refuses %s, which is no key', async (body) => {
    const { status, body: answer } = await make(body);
    expect(status).toBe(422);
    expect(answer['rejected']).toMatchObject([{ field: 'title' }, { field: 'boards' }, { field: 'windows' }]);
  });

  it('answers 400 for broken JSON', async () => {
    expect(await make('{')).toMatchObject({ status: 400 });
  });

  it('answers 503 where the key cannot be stored now', async () => {
    const api = new TestApi();
    api.keys.create = () => Promise.reject(new StoreUnavailableError('away'));
    expect(await make(overlay, api)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });
});

it('lists keys without what they open doors with', async () => {
  const api = new TestApi();
  await make(overlay, api);
  await api.call('DELETE', '/v1/keys/id-1', { token: INGEST_TOKEN });
  const listed = await api.call('GET', '/v1/keys', { token: INGEST_TOKEN });
  expect(listed.headers['cache-control']).toBe('no-store');
  expect(parseBody(listed)).toEqual({
    keys: [{ ...overlay, keyId: 'id-1', playerId: null, createdAt: NOW, expiresAt: null, revokedAt: NOW }],
  });
  expect(String(listed.body)).not.toContain('secret');
});

it('revokes a key, says so again for a repeat, and 404 for one that never was', async () => {
  const api = new TestApi();
  await make(overlay, api);
  const revoke = async (keyId: string) => {
    return (await api.call('DELETE', `/v1/keys/${keyId}`, { token: INGEST_TOKEN })).status;
  };
  expect(await revoke('id-2')).toBe(404);
  for (const _ of [1, 2]) expect(await revoke('id-1')).toBe(204);
  expect(api.keys.made).toMatchObject([{ revokedAt: NOW }]);
});

it.each([
  ['POST', '/v1/keys'],
  ['GET', '/v1/keys'],
  ['DELETE', '/v1/keys/id-1'],
])('%s %s is for game servers only', async (method, url) => {
  const api = new TestApi();
  const { body } = await make(overlay, api);
  const call = async (token?: string) => {
    const given = token === undefined ? {} : { token };
    return (await api.call(method, url, { ...given, body: JSON.stringify(overlay) })).status;
  };
  expect(await call()).toBe(401);
  expect(await call(await tokens.sign('42', 60))).toBe(401);
  expect(await call(String(body['key']))).toBe(401);
  expect(api.keys.made).toMatchObject([{ revokedAt: null }]);
});
