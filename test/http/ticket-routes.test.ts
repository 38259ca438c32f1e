import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { INGEST_TOKEN, NOW, parseBody, TestApi, tokens } from './call-api.js';

const draft = { title: 'overlay', boards: ['arena'], windows: ['top'], playerId: null, expiresInMs: null } as const;

function ask(api: TestApi, token?: string) {
  return api.call('POST', '/v1/tickets', token === undefined ? {} : { token });
}

describe('POST /v1/tickets', () => {
  it("gives a player one that ends no later than the player's token", async () => {
    const api = new TestApi();
    const token = await tokens.sign('42', 60);
    const { expiresAt } = await tokens.verify(token);
    const response = await ask(api, token);
    expect(response).toMatchObject({ status: 201, headers: { 'cache-control': 'no-store' } });
    expect(parseBody(response)).toEqual({ ticket: 'ticket-1', expiresInMs: 30_000 });
    expect(api.tickets.holders).toEqual([{ kind: 'player', playerId: '42', expiresAt }]);
  });

  it('gives an overlay one for its key, by id', async () => {
    const api = new TestApi();
    const { key, keyId } = await api.keys.create(draft);
    expect((await ask(api, key)).status).toBe(201);
    expect(api.tickets.holders).toEqual([{ kind: 'key', keyId }]);
  });

  it('gives nobody else one', async () => {
    const api = new TestApi();
    const { key, keyId } = await api.keys.create(draft);
    await api.keys.revoke(keyId);
    const forged = `${(await tokens.sign('42', 60)).slice(0, -2)}xx`;
    for (const token of [key, 'rck_', 'rck_unknown', forged, await tokens.sign('42', -60), INGEST_TOKEN]) {
      const response = await ask(api, token);
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
      expect(String(response.body)).not.toContain(token);
    }
    expect((await ask(api)).headers['www-authenticate']).toBe('Bearer');
    expect(api.tickets.holders).toEqual([]);
  });

  it('takes 30 in 10 s from a player, and others go on', async () => {
    let now = NOW;
    const api = new TestApi({ now: () => now });
    const { key } = await api.keys.create(draft);
    const token = await tokens.sign('42', 60);
    const statuses = async (some: string, count: number) => {
      const all: number[] = [];
      for (let i = 0; i < count; i++) all.push((await ask(api, some)).status);
      return [...new Set(all)];
    };
    expect(await statuses(token, 30)).toEqual([201]);
    now += 6_500;
    const refused = await ask(api, token);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '4' } });
    expect(parseBody(refused)).toMatchObject({ type: '/problems/too-many', code: 429 });
    expect(await statuses(await tokens.sign('43', 60), 30)).toEqual([201]);
    expect(await statuses(key, 30)).toEqual([201]);
    now += 3_500;
    expect(await statuses(token, 30)).toEqual([201]);
    expect(await statuses(token, 1)).toEqual([429]);
    // The clock was set back by an hour: nobody waits for it to come round again.
    now -= 3_600_000;
    expect(await statuses(token, 30)).toEqual([201]);
  });

  it('answers 503 where it cannot be known or stored now', async () => {
    const api = new TestApi();
    api.tickets.issue = () => Promise.reject(new StoreUnavailableError('away'));
    expect((await ask(api, await tokens.sign('42', 60))).status).toBe(503);
    api.keys.find = () => Promise.reject(new StoreUnavailableError('away'));
    expect((await ask(api, 'rck_any')).status).toBe(503);
  });
});
