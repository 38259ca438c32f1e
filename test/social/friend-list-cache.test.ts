import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FriendListCache, type FriendListCacheOptions } from '../../src/social/friend-list-cache.js';

/** A cache over a store in memory that counts its loads. */
function cacheOver(store: Record<string, string[]>, bounds: Omit<FriendListCacheOptions, 'load'> = {}) {
  const loaded: string[] = [];
  const load = async (playerId: string): Promise<string[]> => {
    loaded.push(playerId);
    return [...(store[playerId] ?? [])];
  };
  return { lists: new FriendListCache({ ...bounds, load }), loaded };
}

describe('FriendListCache', () => {
  it('loads a list once and then answers from the cache', async () => {
    const { lists, loaded } = cacheOver({ a: ['b', 'c'] });
    expect(await lists.get('a')).toEqual(['b', 'c']);
    expect(await lists.get('a')).toEqual(['b', 'c']);
    expect(await lists.get('nobody')).toEqual([]);
    expect(loaded).toEqual(['a', 'nobody']);
  });

  it('turns 500 concurrent misses into one load', async () => {
    const { lists, loaded } = cacheOver({ a: ['b'] });
    const answers = await Promise.all(Array.from({ length: 500 }, () => lists.get('a')));
    expect(loaded).toEqual(['a']);
    expect(answers.every((ids) => ids.join() === 'b')).toBe(true);
  });

  // Case A27.
  it('does not let a load bring back what was removed while it ran', async () => {
    let friends = ['b'];
    let loads = 0;
    const lists = new FriendListCache({
      load: async () => {
        loads += 1;
        const seen = friends;
        await sleep(50);
        return seen;
      },
    });
    const before = lists.get('a');
    await sleep(10);
    friends = [];
    lists.invalidate('a');
    const during = lists.get('a');
    expect(await before).toEqual([]);
    expect(await during).toEqual([]);
    expect(await lists.get('a')).toEqual([]);
    expect(loads).toBe(2);
  });

  it('asks again after a drop of everything while a load ran', async () => {
    const store: Record<string, string[]> = { a: ['b'] };
    const { lists, loaded } = cacheOver(store);
    const running = lists.get('a');
    store['a'] = ['c'];
    lists.invalidateAll();
    expect(await running).toEqual(['c']);
    expect(loaded).toEqual(['a', 'a']);
  });

  it('passes a failed load to all who waited and loads anew for the next', async () => {
    let attempts = 0;
    const lists = new FriendListCache({
      load: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error('store is away');
        return ['b'];
      },
    });
    const answers = await Promise.allSettled([lists.get('a'), lists.get('a')]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
    expect(await lists.get('a')).toEqual(['b']);
    expect(attempts).toBe(2);
  });

  it('runs only as many loads at a time as it may', async () => {
    let running = 0;
    let mostRunning = 0;
    const lists = new FriendListCache({
      maxLoads: 3,
      load: async (playerId) => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await sleep(1);
        running -= 1;
        return [`friend of ${playerId}`];
      },
    });
    const players = Array.from({ length: 20 }, (_, index) => `pl-${index}`);
    const answers = await Promise.all(players.map((playerId) => lists.get(playerId)));
    expect(answers).toEqual(players.map((playerId) => [`friend of ${playerId}`]));
    expect(mostRunning).toBe(3);
  });

  it('evicts by the number of friends and frees the ids of evicted lists', async () => {
    const { lists, loaded } = cacheOver({ a: ['1', '2', '3'], b: ['3', '4', '5'] }, { maxFriends: 5 });
    await lists.get('a');
    await lists.get('b');
    expect(lists.size).toEqual({ lists: 1, pinnedLists: 0, friends: 3, distinctIds: 3 });
    await lists.get('a');
    expect(loaded).toEqual(['a', 'b', 'a']);
  });

  it('counts an empty list as one friend', async () => {
    const { lists } = cacheOver({}, { maxFriends: 2 });
    for (const playerId of ['a', 'b', 'c']) await lists.get(playerId);
    expect(lists.size).toMatchObject({ lists: 2, friends: 2 });
  });

  it('answers a list that is larger than the whole cache, without keeping it', async () => {
    const { lists } = cacheOver({ a: ['1', '2', '3'] }, { maxFriends: 2 });
    expect(await lists.get('a')).toEqual(['1', '2', '3']);
    expect(lists.size).toEqual({ lists: 0, pinnedLists: 0, friends: 0, distinctIds: 0 });
  });

  it('loads again after the time limit', async () => {
    let nowMs = 1;
    const { lists, loaded } = cacheOver({ a: ['b'] }, { ttlMs: 1_000, now: () => nowMs });
    await lists.get('a');
    nowMs += 900;
    await lists.get('a');
    expect(loaded).toHaveLength(1);
    nowMs += 200;
    await lists.get('a');
    expect(loaded).toHaveLength(2);
  });

  it('keeps pinned lists outside of eviction and time limit', async () => {
    let nowMs = 1;
    const { lists, loaded } = cacheOver(
      { a: ['1'], b: ['2'], c: ['3'] },
      { maxLists: 1, ttlMs: 1_000, now: () => nowMs },
    );
    await lists.get('a');
    lists.pin('a');
    lists.pin('b');
    await lists.get('b');
    await lists.get('c');
    nowMs += 10_000;
    expect(await lists.get('a')).toEqual(['1']);
    expect(await lists.get('b')).toEqual(['2']);
    expect(loaded).toEqual(['a', 'b', 'c']);
  });

  it('keeps a list pinned until its last pin is gone, then bounds it like any other', async () => {
    const { lists, loaded } = cacheOver({ a: ['1'], b: ['2'] }, { maxLists: 1 });
    lists.pin('a');
    lists.pin('a');
    await lists.get('a');
    lists.unpin('a');
    await lists.get('b');
    await lists.get('a');
    expect(loaded).toEqual(['a', 'b']);
    lists.unpin('a');
    lists.unpin('a');
    expect(lists.size).toEqual({ lists: 1, pinnedLists: 0, friends: 1, distinctIds: 1 });
    await lists.get('a');
    expect(loaded).toEqual(['a', 'b']);
  });

  it('loads a pinned list anew after an invalidation and frees the ids of the old one', async () => {
    const store: Record<string, string[]> = { a: ['1', '2'] };
    const { lists } = cacheOver(store);
    lists.pin('a');
    await lists.get('a');
    store['a'] = ['2'];
    lists.invalidate('a');
    expect(lists.size.distinctIds).toBe(0);
    expect(await lists.get('a')).toEqual(['2']);
    expect(lists.size).toMatchObject({ pinnedLists: 1, distinctIds: 1 });
  });

  it('gives a session the list that it keeps, which stays whole after an invalidation', async () => {
    const store: Record<string, string[]> = { a: ['1', '2'] };
    const { lists, loaded } = cacheOver(store);
    lists.pin('a');
    const [first, second] = [await lists.hold('a'), await lists.hold('a')];
    expect(second).toBe(first);
    store['a'] = ['2', '3'];
    lists.invalidate('a');
    const fresh = await lists.hold('a');
    expect([first.ids(), fresh.ids()]).toEqual([
      ['1', '2'],
      ['2', '3'],
    ]);
    for (const list of [first, second]) list.release();
    expect([lists.size.distinctIds, loaded]).toEqual([2, ['a', 'a']]);
    lists.unpin('a');
    lists.invalidate('a');
    expect(fresh.ids()).toEqual(['2', '3']);
    fresh.release();
    expect(lists.size.distinctIds).toBe(0);
  });

  it('gives a list of its own where the cache has no room for it', async () => {
    const { lists } = cacheOver({ a: ['1', '2', '3'] }, { maxFriends: 2 });
    const list = await lists.hold('a');
    expect(list.ids()).toEqual(['1', '2', '3']);
    list.release();
    expect(lists.size).toEqual({ lists: 0, pinnedLists: 0, friends: 0, distinctIds: 0 });
  });

  it('holds no ids at the end of any mix of pins, loads and invalidations', async () => {
    const store = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`pl-${n}`, [`pl-${n + 1}`, `pl-${n + 2}`]]));
    const { lists } = cacheOver(store, { maxLists: 3 });
    const pins: string[] = [];
    for (let step = 0; step < 300; step += 1) {
      const playerId = `pl-${(step * 7) % 10}`;
      if (step % 3 === 0) {
        lists.pin(playerId);
        pins.push(playerId);
      }
      const reading = lists.get(playerId);
      if (step % 5 === 0) lists.invalidate(playerId);
      const unpinned = step % 4 === 0 ? pins.shift() : undefined;
      if (unpinned !== undefined) lists.unpin(unpinned);
      expect(await reading).toEqual(store[playerId]);
    }
    for (const playerId of pins) lists.unpin(playerId);
    lists.invalidateAll();
    expect(lists.size).toEqual({ lists: 0, pinnedLists: 0, friends: 0, distinctIds: 0 });
  });
});
