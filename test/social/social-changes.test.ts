import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHANNEL_SQL } from '../../src/social/social-change.js';
import { SocialChanges } from '../../src/social/social-changes.js';
import { FriendshipWriter } from './friendship-writer.js';
import { createSocialDatabase, type SocialDatabase, silent, terminateConnections } from './social-database.js';

let database: SocialDatabase;
let writer: FriendshipWriter;
const followers: SocialChanges[] = [];

beforeEach(async () => {
  database = await createSocialDatabase();
  writer = new FriendshipWriter({ pool: database.newPool() });
});

afterEach(async () => {
  await Promise.all(followers.splice(0).map((follower) => follower.close()));
  await database.drop();
});

/** Follows the schema and writes down what it was told, from after the start. */
async function follow(compareEveryMs = 1_000, pool = database.newPool(1)) {
  const told: string[] = [];
  const changes = new SocialChanges({
    pool,
    logger: silent,
    compareEveryMs,
    listener: {
      changed: (change) => told.push(`${change.kind} ${change.playerId} ${change.friendId}`),
      lost: () => told.push('lost'),
    },
  });
  followers.push(changes);
  await changes.start();
  // Told at the start, because of what may have been read before.
  expect(told.splice(0)).toEqual(['lost']);
  return { changes, told, pool };
}

const withinASecond = { timeout: 1_000, interval: 5 };

describe('SocialChanges', () => {
  it('tells every change once and in order, as soon as it is notified', async () => {
    const slow = await follow(60_000);
    for (const friendId of ['b', 'c', 'd']) await writer.add('a', friendId);
    await writer.remove('a', 'c');
    const expected = ['friend-added a b', 'friend-added a c', 'friend-added a d', 'friend-removed a c'];
    await vi.waitFor(() => expect(slow.told).toEqual(expected), withinASecond);
  });

  it('finds changes by comparing numbers where no notification arrives', async () => {
    const { told } = await follow(50);
    await database.admin.query(`WITH head AS (UPDATE social_head SET last = last + 1 RETURNING last)
      INSERT INTO social_change SELECT last, 'friend-added', 'a', 'b', now() FROM head`);
    await vi.waitFor(() => expect(told).toEqual(['friend-added a b']), withinASecond);
  });

  it('tells nothing of what was committed before the start', async () => {
    await writer.add('a', 'b');
    const { told } = await follow();
    await writer.add('a', 'c');
    await vi.waitFor(() => expect(told).toEqual(['friend-added a c']), withinASecond);
  });

  it('keeps order and number under concurrent writers', async () => {
    const { told } = await follow();
    const writers = Array.from({ length: 3 }, () => new FriendshipWriter({ pool: database.newPool(3) }));
    await Promise.all(
      writers.flatMap((each, w) => Array.from({ length: 30 }, (_, n) => each.add(`w${w}`, `f${w}-${n}`))),
    );
    await vi.waitFor(() => expect(told).toHaveLength(90), withinASecond);
    const sql = `SELECT concat_ws(' ', kind, player_id, friend_id) AS line FROM social_change ORDER BY social_seq`;
    const { rows } = await database.admin.query<{ line: string }>(sql);
    expect(told).toEqual(rows.map((row) => row.line));
  });

  it('tells an own change at once, and not again when it is read', async () => {
    const { changes, told } = await follow();
    // Told before the commit, so that the reader cannot be first.
    changes.tellOwn({ socialSeq: 1, kind: 'friend-added', playerId: 'a', friendId: 'b' });
    expect(told).toEqual(['friend-added a b']);
    await writer.add('a', 'b');
    await writer.add('a', 'c');
    await vi.waitFor(() => expect(told).toEqual(['friend-added a b', 'friend-added a c']), withinASecond);
  });

  it('does not tell an own change that was read before its writer heard of the commit', async () => {
    const { changes, told } = await follow();
    const own = await writer.change({ kind: 'friend-added', playerId: 'a', friendId: 'b' });
    if (own === null) throw new Error('the friendship was new');
    await vi.waitFor(() => expect(told).toEqual(['friend-added a b']), withinASecond);
    changes.tellOwn(own);
    expect(told).toEqual(['friend-added a b']);
  });

  it('catches up after its connection was terminated, time and again', async () => {
    const { told, pool } = await follow();
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitFor(async () => expect(await terminateConnections(database.admin, pool)).toBe(1), 5_000);
      await writer.add('a', `f${round}`);
      await vi.waitFor(() => expect(told).toHaveLength(round), 5_000);
    }
    expect(told).toEqual(['friend-added a f1', 'friend-added a f2', 'friend-added a f3']);
  });

  it('says that changes are lost where they were trimmed before it read them', async () => {
    const { told } = await follow(50);
    await database.admin.query('UPDATE social_head SET last = last + 5');
    await vi.waitFor(() => expect(told).toEqual(['lost']), withinASecond);
    await writer.add('a', 'b');
    await vi.waitFor(() => expect(told).toEqual(['lost', 'friend-added a b']), withinASecond);
  });

  it('says that changes are lost where the database went back in time', async () => {
    const { changes, told } = await follow(50);
    const own = await writer.change({ kind: 'friend-added', playerId: 'a', friendId: 'b' });
    if (own === null) throw new Error('the friendship was new');
    changes.tellOwn(own);
    await writer.add('a', 'c');
    await vi.waitFor(() => expect(told).toHaveLength(2), withinASecond);
    await database.admin.query('WITH gone AS (DELETE FROM social_change) UPDATE social_head SET last = 0');
    await vi.waitFor(() => expect(told.slice(2)).toEqual(['lost']), withinASecond);
    await writer.add('x', 'y');
    await vi.waitFor(() => expect(told.slice(3)).toEqual(['friend-added x y']), withinASecond);
  });

  it('passes over kinds that this version does not know', async () => {
    const { told } = await follow(50);
    await database.admin.query(`WITH head AS (UPDATE social_head SET last = last + 1 RETURNING last)
      INSERT INTO social_change SELECT last, 'something-new', 'a', 'b', now() FROM head`);
    await writer.add('a', 'c');
    await vi.waitFor(() => expect(told).toEqual(['friend-added a c']), withinASecond);
  });

  it('listens on a channel of its schema alone', async () => {
    const other = await createSocialDatabase();
    try {
      const sql = `SELECT ${CHANNEL_SQL} AS channel`;
      const [ours, theirs] = await Promise.all([database.admin.query(sql), other.admin.query(sql)]);
      expect(ours.rows[0]).not.toEqual(theirs.rows[0]);
    } finally {
      await other.drop();
    }
  });

  it('gives its connection back when it is closed', async () => {
    const { changes, pool } = await follow();
    expect(pool.totalCount).toBe(1);
    await changes.close();
    await pool.query('SELECT 1');
    expect(pool.waitingCount).toBe(0);
  });
});
