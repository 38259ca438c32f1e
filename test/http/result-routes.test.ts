import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { INGEST_TOKEN, NOW, parseBody, TestApi, tokens } from './call-api.js';

const good = { matchId: 'm1', playerId: '42', mode: 'arena', points: 1518, achievedAt: '2026-10-12T17:59:21.417Z' };

async function post(body: unknown, api = new TestApi()) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.call('POST', '/v1/results', { token: INGEST_TOKEN, body: text });
  const appended = api.appended.map(({ key, value }) => ({ key, value: JSON.parse(Buffer.from(value).toString()) }));
  return { status: response.status, headers: response.headers, body: parseBody(response), appended };
}

describe('POST /v1/results', () => {
  it('takes an array, and a single object', async () => {
    const second = { ...good, matchId: 'm2' };
    const many = await post([good, second]);
    expect(many).toMatchObject({ status: 202, body: { accepted: 2, rejected: [] } });
    expect(many.appended.map(({ value }) => value)).toEqual([good, second]);
    expect(await post(good)).toMatchObject({ status: 202, body: { accepted: 1, rejected: [] } });
  });

  it('appends what was sent, fields of the sender included, under the player id', async () => {
    const { appended } = await post([{ ...good, playerId: 42, scopes: { guild: '77' }, server: { region: 'eu' } }]);
    expect(appended).toEqual([
      { key: '42', value: { ...good, playerId: '42', scopes: { guild: '77' }, server: { region: 'eu' } } },
    ]);
  });

  it('writes down the mode that was left out', async () => {
    const { mode: _, ...without } = good;
    expect((await post(without)).appended).toEqual([{ key: '42', value: good }]);
  });

  it('accepts the neighbours of what it rejects, and names index, field and code', async () => {
    const bad: readonly [object | null, string, string][] = [
      [{ ...good, points: -1 }, 'points', 'points_out_of_range'],
      [{ ...good, points: 2_097_152 }, 'points', 'points_out_of_range'],
      [{ ...good, points: 1.5 }, 'points', 'points_not_integer'],
      [{ ...good, points: undefined }, 'points', 'missing'],
      [{ ...good, mode: 'duel' }, 'mode', 'unknown_mode'],
      [{ ...good, matchId: 'x'.repeat(65) }, 'matchId', 'bad_id'],
      [{ ...good, achievedAt: NOW + 120_001 }, 'achievedAt', 'in_the_future'],
      [{ ...good, achievedAt: '2025-12-31T23:59:59Z' }, 'achievedAt', 'before_season'],
      [{ ...good, kind: 'void' }, 'kind', 'unknown_kind'],
      [null, '', 'not_an_object'],
      [{ ...good, note: 'x'.repeat(65_536) }, '', 'too_large'],
    ];
    const { status, body, appended } = await post([good, ...bad.map(([record]) => record), { ...good, matchId: 'm2' }]);
    expect(status).toBe(202);
    expect(body).toEqual({
      accepted: 2,
      rejected: bad.map(([, field, code], at) => ({ index: at + 1, field, code, message: expect.any(String) })),
    });
    expect(appended.map(({ value }) => value.matchId)).toEqual(['m1', 'm2']);
  });

  it('answers 422 with the same list where nothing is acceptable', async () => {
    const { status, headers, body, appended } = await post([{ ...good, points: 'many' }]);
    expect(status).toBe(422);
    expect(headers['content-type']).toBe('application/problem+json');
    const rejected = [{ index: 0, field: 'points', code: 'points_not_integer', message: expect.any(String) }];
    expect(body).toMatchObject({ type: '/problems/unprocessable', code: 422, instance: '/v1/results', rejected });
    expect(appended).toEqual([]);
  });

  it('refuses a numeric id above 2^53-1 by name and never rounds it to a neighbour (A05)', async () => {
    const text = JSON.stringify(good).replace('"42"', '9007199254740993');
    const { status, body, appended } = await post(`[${text},${JSON.stringify(good)}]`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 0, field: 'playerId', code: 'id_not_exact' }] });
    expect(appended.map(({ key }) => key)).toEqual(['42']);
  });

  it('takes a number and its text for one player, and long texts for what they are (A05)', async () => {
    const ids = [42, '42', '9007199254740992', '9007199254740993', Number.MAX_SAFE_INTEGER];
    const { appended } = await post(ids.map((playerId) => ({ ...good, playerId })));
    const keys = ['42', '42', '9007199254740992', '9007199254740993', '9007199254740991'];
    expect(appended.map(({ key }) => key)).toEqual(keys);
    expect(appended.map(({ value }) => value.playerId)).toEqual(keys);
  });

  it('rejects a result that is nested too deeply, and only that one', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const text = JSON.stringify(good);
    const points = text.replace('1518', deep);
    const extra = text.replace('"m1"', `"m1","extra":${deep}`);
    const { status, body } = await post(`[${points},${extra},${text}]`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ accepted: 1, rejected: [{ index: 0 }, { index: 1, code: 'too_deep' }] });
  });

  it.each(['', '{', '[1,]', '\u0000'])('answers 400 for the broken JSON %j', async (text) => {
    expect(await post(text)).toMatchObject({ status: 400, body: { code: 400 }, appended: [] });
  });

  it('answers 400 for what is not UTF-8', async () => {
    const body = Buffer.from(JSON.stringify(good), 'utf16le');
    expect((await new TestApi().call('POST', '/v1/results', { token: INGEST_TOKEN, body })).status).toBe(400);
  });

  it('takes an empty array for nothing to do', async () => {
    expect(await post([])).toMatchObject({ status: 202, body: { accepted: 0, rejected: [] } });
  });

  it('answers 413 above 1,000 results and above 1 MiB', async () => {
    expect(await post(Array.from({ length: 1_001 }, () => good))).toMatchObject({ status: 413, appended: [] });
    expect(await post(Array.from({ length: 1_000 }, () => good))).toMatchObject({ status: 202 });
    expect(await post(' '.repeat(1_048_577))).toMatchObject({ status: 413, appended: [] });
  });

  it('answers 503 with Retry-After where it cannot be made durable now', async () => {
    const append = () => Promise.reject(new StoreUnavailableError('Kafka does not answer'));
    const answer = await post(good, new TestApi({ appender: { append } }));
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' }, body: { code: 503 } });
  });

  it('is for game servers only', async () => {
    const call = (api: TestApi, token?: string) =>
      api.call('POST', '/v1/results', { body: JSON.stringify(good), ...(token === undefined ? {} : { token }) });
    const api = new TestApi();
    expect(await call(api)).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect(await call(api, 'guess')).toMatchObject({ status: 401 });
    expect(await call(api, await tokens.sign('42', 60))).toMatchObject({ status: 401 });
    expect(await call(new TestApi({ ingestToken: null }), INGEST_TOKEN)).toMatchObject({ status: 403 });
    expect(api.appended).toEqual([]);
  });
});
