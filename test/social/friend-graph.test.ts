import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FriendGraph, type FriendGraphOptions } from '../../src/social/friend-graph.js';
import { createSocialDatabase, type SocialDatabase, silent, terminateConnections } from './social-database.js';

let database: SocialDatabase;
const graphs: FriendGraph[] = [];

beforeEach(async () => {
  database = await createSocialDatabase();
});

afterEach(async () => {
  await Promise.all(graphs.splice(0).map((graph) => graph.close()));
  await database.drop();
});

/** One gateway: a graph on a pool of its own. */
async function startGateway(options: Partial<FriendGraphOptions> = {}) {
  const pool = database.newPool();
  const graph = new FriendGraph({ pool, logger: silent, ...options });
  graphs.push(graph);
  await graph.start();
  return { graph, pool };
}

const withinASecond = { timeout: 1_000, interval: 5 };

describe('FriendGraph', () => {
  it('shows its own writes at once and calls each pinned player once per change', async () => {
    const { graph } = await startGateway();
    const [a, b, stranger] = [vi.fn(), vi.fn(), vi.fn()];
    graph.pin('a', { friendsChanged: a });
    graph.pin('b', { friendsChanged: b });
    graph.pin('stranger', { friendsChanged: stranger });
    await graph.friendsOf('a');
    expect(await graph.add('a', 'b')).toBe(true);
    expect([a.mock.calls.length, b.mock.calls.length]).toEqual([1, 1]);
    expect(await graph.friendsOf('a')).toEqual(['b']);
    expect(await graph.friendsOf('b')).toEqual(['a']);
    expect(await graph.add('b', 'a')).toBe(false);
    expect(await graph.remove('b', 'a')).toBe(true);
    expect(await graph.friendsOf('a')).toEqual([]);
    // A later change from elsewhere proves that the notifications of the earlier ones have been read.
    const other = await startGateway();
    await other.graph.add('a', 'c');
    await vi.waitFor(async () => expect(await graph.friendsOf('a')).toEqual(['c']), withinASecond);
    expect([a.mock.calls.length, b.mock.calls.length, stranger.mock.calls.length]).toEqual([3, 2, 0]);
  });

  // Case A26.
  it('brings a removal on one gateway to the pinned lists of another within a second', async () => {
    const first = await startGateway();
    const second = await startGateway();
    await second.graph.add('pl-a', 'pl-b');
    await second.graph.add('pl-a', 'pl-c');
    await vi.waitFor(async () => expect(await first.graph.friendsOf('pl-a')).toEqual(['pl-b', 'pl-c']), withinASecond);
    const seen: Promise<readonly string[]>[] = [];
    const ofFriend = vi.fn();
    first.graph.pin('pl-a', { friendsChanged: () => seen.push(first.graph.friendsOf('pl-a')) });
    first.graph.pin('pl-c', { friendsChanged: ofFriend });
    await second.graph.remove('pl-a', 'pl-c');
    await vi.waitFor(() => expect(seen).toHaveLength(1), withinASecond);
    expect(await seen[0]).toEqual(['pl-b']);
    expect(ofFriend).toHaveBeenCalledTimes(1);
    expect(await first.graph.friendsOf('pl-c')).toEqual([]);
    await second.graph.add('pl-c', 'pl-a');
    await vi.waitFor(() => expect(seen).toHaveLength(2), withinASecond);
    expect(await seen[1]).toEqual(['pl-b', 'pl-c']);
  });

  it('converges after the connections of a gateway were terminated', async () => {
    const first = await startGateway();
    const second = await startGateway();
    const onChange = vi.fn();
    first.graph.pin('a', { friendsChanged: onChange });
    expect(await first.graph.friendsOf('a')).toEqual([]);
    expect(await terminateConnections(database.admin, first.pool)).toBeGreaterThan(0);
    await second.graph.add('a', 'b');
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1), 5_000);
    expect(await first.graph.friendsOf('a')).toEqual(['b']);
  });

  it('drops its cache and calls every pinned player where changes were trimmed before it read them', async () => {
    const { graph } = await startGateway({ compareEveryMs: 50 });
    const [a, b] = [vi.fn(), vi.fn()];
    graph.pin('a', { friendsChanged: a });
    graph.pin('b', { friendsChanged: b });
    for (const playerId of ['a', 'b', 'unpinned']) expect(await graph.friendsOf(playerId)).toEqual([]);
    // As after an outage of more than an hour: the friendship is there, the change's row is not, and nobody notified.
    await database.admin.query(`INSERT INTO friendship VALUES ('a', 'unpinned'), ('unpinned', 'a')`);
    await database.admin.query('UPDATE social_head SET last = last + 1');
    await vi.waitFor(() => expect([a.mock.calls.length, b.mock.calls.length]).toEqual([1, 1]), withinASecond);
    expect(await graph.friendsOf('a')).toEqual(['unpinned']);
    expect(await graph.friendsOf('unpinned')).toEqual(['a']);
    expect(await graph.friendsOf('b')).toEqual([]);
  });

  it('does not call a session that has unpinned, also one ended by an earlier callback', async () => {
    const { graph } = await startGateway();
    const [gone, second] = [vi.fn(), vi.fn()];
    const [goneWatcher, secondWatcher] = [{ friendsChanged: gone }, { friendsChanged: second }];
    graph.pin('a', goneWatcher);
    graph.unpin('a', goneWatcher);
    const first = vi.fn(() => graph.unpin('a', secondWatcher));
    graph.pin('a', { friendsChanged: first });
    graph.pin('a', secondWatcher);
    await graph.add('a', 'b');
    expect([gone.mock.calls.length, first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1, 0]);
  });

  it('calls the other sessions where one callback throws', async () => {
    const { graph } = await startGateway();
    const other = vi.fn();
    graph.pin('a', {
      friendsChanged: () => {
        throw new Error('this session is broken');
      },
    });
    graph.pin('a', { friendsChanged: other });
    expect(await graph.add('a', 'b')).toBe(true);
    expect(other).toHaveBeenCalledTimes(1);
  });

  it('passes the limit on to the writer', async () => {
    const { graph } = await startGateway({ maxFriends: 1 });
    await graph.add('a', 'b');
    await expect(graph.add('a', 'c')).rejects.toMatchObject({ name: 'FriendshipRefusedError', code: 'friend_limit' });
    expect(await graph.friendsOf('a')).toEqual(['b']);
  });

  it('serves many players at once on a small pool', async () => {
    const { graph } = await startGateway();
    const players = Array.from({ length: 200 }, (_, n) => `pl-${n}`);
    await database.admin.query(`INSERT INTO friendship SELECT 'pl-' || n, 'f-' || n FROM generate_series(0, 199) AS n`);
    const lists = await Promise.all(players.map((playerId) => graph.friendsOf(playerId)));
    expect(lists).toEqual(players.map((_, n) => [`f-${n}`]));
  });
});
