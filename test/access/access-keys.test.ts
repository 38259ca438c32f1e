import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessKeys } from '../../src/access/access-keys.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';
import { draft } from './drafts.js';

let database: TruthDatabase;
let keys: AccessKeys;

beforeEach(async () => {
  database = await createTruthDatabase();
  keys = new AccessKeys(database.access);
});

afterEach(() => database.drop());

describe('AccessKeys', () => {
  it('makes keys that differ, and finds each by itself alone', async () => {
    const before = Date.now();
    const one = await keys.create(draft({ title: 'Übersicht 🏆', windows: ['top', 'me'], playerId: '42' }));
    const other = await keys.create(draft());
    expect(one.key).toMatch(/^rck_[A-Za-z0-9_-]{43}$/);
    expect(other.key).not.toBe(one.key);
    const { key, ...fields } = one;
    expect(await keys.find(key)).toEqual({ ...fields, isOver: false });
    expect(fields).toMatchObject({ title: 'Übersicht 🏆', boards: ['arena'], windows: ['top', 'me'], playerId: '42' });
    expect(fields).toMatchObject({ expiresAt: null, revokedAt: null });
    expect(Math.abs(fields.createdAt - before)).toBeLessThan(5_000);
    expect(await keys.find(other.key)).toMatchObject({ keyId: other.keyId, playerId: null });
  });

  it('keeps nothing that would open anything', async () => {
    const { key } = await keys.create(draft());
    const [row] = await database.ask<{ all: string }>('SELECT access_key::text AS all FROM access_key');
    const secret = key.slice('rck_'.length);
    for (const shape of [secret, Buffer.from(key).toString('hex'), Buffer.from(secret, 'base64url').toString('hex')]) {
      expect(row?.all).not.toContain(shape);
    }
  });

  it.each(['', 'rck_', 'rck_\u0000', "rck_' OR true --", 'rck_\ud800', `rck_${'x'.repeat(9_999)}`])(
    'knows %j for no key',
    async (text) => {
      const { key, keyId } = await keys.create(draft());
      expect(await keys.find(text)).toBeNull();
      expect(await keys.find(`${key}x`)).toBeNull();
      expect(await keys.find(key.toUpperCase())).toBeNull();
      expect(await keys.revoke(text)).toBe(false);
      expect(await keys.revoke(keyId.toUpperCase().padEnd(17, ' '))).toBe(false);
      expect(await keys.find(key)).toMatchObject({ isOver: false });
    },
  );

  it('revokes a key for good, at the moment of the first time', async () => {
    const { key, keyId } = await keys.create(draft());
    expect(await keys.revoke('0000000000000000')).toBe(false);
    expect(await keys.revoke(keyId)).toBe(true);
    const revoked = await keys.find(key);
    expect(revoked).toMatchObject({ isOver: true, revokedAt: expect.any(Number) });
    expect(await keys.revoke(keyId)).toBe(true);
    expect(await keys.find(key)).toEqual(revoked);
  });

  it('ends a key by the clock of the database', async () => {
    const { key, expiresAt, createdAt } = await keys.create(draft({ expiresInMs: 60_000 }));
    expect((expiresAt ?? 0) - createdAt).toBe(60_000);
    expect(await keys.find(key)).toMatchObject({ isOver: false });
    await database.ask(`UPDATE access_key SET expires_at = clock_timestamp()`);
    expect(await keys.find(key)).toMatchObject({ isOver: true, revokedAt: null });
  });

  it('lists all, the newest first, without the keys', async () => {
    const [first, second] = [
      await keys.create(draft({ title: 'first' })),
      await keys.create(draft({ title: 'second' })),
    ];
    await keys.revoke(first.keyId);
    const listed = await keys.list();
    expect(listed.map(({ title, revokedAt }) => [title, revokedAt === null])).toEqual([
      ['second', true],
      ['first', false],
    ]);
    for (const { key } of [first, second]) expect(JSON.stringify(listed)).not.toContain(key.slice(4));
    expect(Object.keys(listed[0] ?? {})).not.toContain('isOver');
  });

  it('says that the database is away, and not that the key is unknown', async () => {
    const { key } = await keys.create(draft());
    await database.ask('ALTER TABLE access_key RENAME TO elsewhere');
    await expect(keys.find(key)).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
