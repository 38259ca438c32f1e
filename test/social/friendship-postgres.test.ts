import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { MAX_FRIENDS } from '../../src/social/friendship-postgres.js';
import { FriendshipWriter } from './friendship-writer.js';
import { createSocialDatabase, readChanges, type SocialDatabase, terminateConnections } from './social-database.js';

let database: SocialDatabase;
let friendships: FriendshipWriter;

beforeEach(async () => {
  database = await createSocialDatabase();
  friendships = new FriendshipWriter({ pool: database.newPool(8) });
});

afterEach(() => database.drop());

describe('FriendshipPostgres', () => {
  it('stores a friendship for both players, once', async () => {
    expect(await friendships.add('a', 'b')).toBe(true);
    expect(await friendships.add('a', 'b')).toBe(false);
    expect(await friendships.add('b', 'a')).toBe(false);
    expect(await friendships.listFriends('a')).toEqual(['b']);
    expect(await friendships.listFriends('b')).toEqual(['a']);
    expect(await readChanges(database.admin)).toEqual(['1 friend-added a b']);
  });

  it('removes a friendship for both players, once', async () => {
    await friendships.add('a', 'b');
    expect(await friendships.remove('b', 'a')).toBe(true);
    expect(await friendships.remove('a', 'b')).toBe(false);
    expect(await friendships.listFriends('a')).toEqual([]);
    expect(await friendships.listFriends('b')).toEqual([]);
    expect(await readChanges(database.admin)).toEqual(['1 friend-added a b', '2 friend-removed b a']);
  });

  it('lists friends in the order of their bytes', async () => {
    for (const friendId of ['ａ', '😀', 'b', 'B', '10', '9']) await friendships.add('me', friendId);
    expect(await friendships.listFriends('me')).toEqual(['10', '9', 'B', 'b', 'ａ', '😀']);
  });

  it('refuses a player as its own friend, and ids that are none', async () => {
    await expect(friendships.add('a', 'a')).rejects.toMatchObject({ code: 'own_friend', isRetryable: false });
    await expect(friendships.add('a', '')).rejects.toMatchObject({ code: 'bad_id' });
    await expect(friendships.remove('a\u0000', 'b')).rejects.toMatchObject({ code: 'bad_id' });
    expect(await readChanges(database.admin)).toEqual([]);
  });

  it('refuses one friend more than 10,000 on either side, and says whose list is full', async () => {
    const sql = `INSERT INTO friendship (player_id, friend_id) SELECT 'full', 'f' || n FROM generate_series(1, $1) AS n`;
    await database.admin.query(sql, [MAX_FRIENDS - 1]);
    expect(await friendships.add('full', 'last')).toBe(true);
    const refusal = {
      name: 'FriendshipRefusedError',
      code: 'friend_limit',
      message: expect.stringMatching(/player full /),
    };
    await expect(friendships.add('full', 'more')).rejects.toMatchObject(refusal);
    await expect(friendships.add('more', 'full')).rejects.toMatchObject(refusal);
    expect(await friendships.add('full', 'last')).toBe(false);
    expect(await friendships.listFriends('full')).toHaveLength(MAX_FRIENDS);
    expect(await friendships.listFriends('more')).toEqual([]);
  });

  it('does not pass the limit with concurrent adds from both ends', async () => {
    const limited = new FriendshipWriter({ pool: database.newPool(8), maxFriends: 5 });
    const adds = Array.from({ length: 24 }, (_, n) =>
      n % 2 === 0 ? limited.add('a', `f${n}`) : limited.add(`f${n}`, 'a'),
    );
    const answers = await Promise.allSettled(adds);
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(5);
    expect(await limited.listFriends('a')).toHaveLength(5);
    expect(await readChanges(database.admin)).toHaveLength(5);
  });

  it('makes concurrent opposite changes one after the other, without deadlock', async () => {
    const players = Array.from({ length: 8 }, (_, n) => `pl-${n}`);
    const pairs = players.flatMap((a) => players.filter((b) => b !== a).map((b) => [a, b] as const));
    const added = await Promise.all(pairs.map(([a, b]) => friendships.add(a, b)));
    expect(added.filter(Boolean)).toHaveLength(pairs.length / 2);
    const removed = await Promise.all(pairs.map(([a, b]) => friendships.remove(b, a)));
    expect(removed.filter(Boolean)).toHaveLength(pairs.length / 2);
    expect(await readChanges(database.admin)).toHaveLength(pairs.length);
  });

  it('numbers changes without gaps, whatever was refused or changed nothing between', async () => {
    const limited = new FriendshipWriter({ pool: database.newPool(), maxFriends: 1 });
    await limited.add('a', 'b');
    await limited.add('a', 'b');
    await expect(limited.add('a', 'c')).rejects.toMatchObject({ code: 'friend_limit' });
    await limited.remove('c', 'd');
    await limited.add('c', 'd');
    expect(await readChanges(database.admin)).toEqual(['1 friend-added a b', '2 friend-added c d']);
  });

  it('trims the oldest hundred of the changes older than an hour with each write', async () => {
    const sql = `INSERT INTO social_change
                 SELECT n, 'friend-added', 'x', 'y', now() - CASE WHEN n <= 150 THEN interval '61 min' ELSE interval '59 min' END
                   FROM generate_series(1, 160) AS n`;
    await database.admin.query(sql);
    await database.admin.query('UPDATE social_head SET last = 160');
    await friendships.add('a', 'b');
    const afterOne = await readChanges(database.admin);
    expect([afterOne.length, afterOne[0]]).toEqual([61, '101 friend-added x y']);
    await friendships.add('a', 'c');
    const afterTwo = await readChanges(database.admin);
    expect([afterTwo.length, afterTwo[0]]).toEqual([12, '151 friend-added x y']);
  });

  it('survives the end of its connection in the middle of a change, and changes nothing then', async () => {
    const pool = database.newPool(1);
    const interrupted = new FriendshipWriter({ pool });
    const blocker = await database.admin.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE friendship IN ACCESS EXCLUSIVE MODE');
      const settled = Promise.allSettled([interrupted.add('a', 'b')]);
      await vi.waitFor(async () => expect(await terminateConnections(database.admin, pool)).toBe(1), 5_000);
      const [answer] = await settled;
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect(await interrupted.listFriends('a')).toEqual([]);
    expect(await interrupted.add('a', 'b')).toBe(true);
  });

  it('gives every connection back when changes fail', async () => {
    const pool = database.newPool(2);
    const limited = new FriendshipWriter({ pool, maxFriends: 1 });
    await limited.add('a', 'first');
    for (let n = 0; n < 5; n += 1) {
      await expect(limited.add('a', `f${n}`)).rejects.toMatchObject({ code: 'friend_limit' });
    }
    await database.admin.query('ALTER TABLE social_head RENAME TO away');
    const broken = new FriendshipWriter({ pool });
    for (let n = 0; n < 5; n += 1) await expect(broken.add('a', `f${n}`)).rejects.toThrow(/social_head/);
    await database.admin.query('ALTER TABLE away RENAME TO social_head');
    expect(await broken.add('a', 'b')).toBe(true);
    expect(pool.waitingCount).toBe(0);
  });

  it('says that a retry can help while the database is away', async () => {
    const pool = new Pool({ host: '127.0.0.1', port: 1, connectionTimeoutMillis: 2_000 });
    const away = new FriendshipWriter({ pool });
    await expect(away.add('a', 'b')).rejects.toMatchObject({ name: 'StoreUnavailableError', isRetryable: true });
    await expect(away.listFriends('a')).rejects.toMatchObject({ name: 'StoreUnavailableError', isRetryable: true });
    await pool.end();
  });
});
