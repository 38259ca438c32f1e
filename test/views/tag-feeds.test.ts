import { describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from '../../src/domain/change.js';
import type { ListRef } from '../../src/domain/lists.js';
import type { ChangeListener, RankingReader } from '../../src/views/ranking-reader.js';
import { TagFeeds } from '../../src/views/tag-feeds.js';
import { LIST } from './support/view-rig.js';

/** A reader whose feed the test holds. */
class HandReader implements RankingReader {
  readonly opened: { readonly list: ListRef; readonly from: number; readonly listener: ChangeListener }[] = [];
  readonly restarts: number[] = [];
  closed = 0;
  async readRange() {
    return null;
  }
  async readPlayers() {
    return null;
  }
  async readNeighbours() {
    return null;
  }
  follow(list: ListRef, from: number, listener: ChangeListener) {
    this.opened.push({ list, from, listener });
    return {
      restart: (seq: number) => void this.restarts.push(seq),
      close: () => {
        this.closed += 1;
      },
    };
  }
}

class Listener implements ChangeListener {
  readonly sets: ChangeSet[] = [];
  readonly positions: unknown[] = [];
  changes(set: ChangeSet): void {
    this.sets.push(set);
  }
  position(position: unknown): void {
    this.positions.push(position);
  }
}

const change = (list: string, playerId: string): Change => {
  return { list, playerId, scoreBefore: null, rankBefore: null, score: 1, rank: 1, at: 0, label: null };
};
const listOf = (list: string): ListRef => ({ ...LIST, list });

describe('TagFeeds', () => {
  it('opens one feed for all lists of a tag, and one for another definition or tag', () => {
    const reader = new HandReader();
    const feeds = new TagFeeds(reader);
    for (const list of ['s', 'd:2026-10-12', 's:guild:1']) feeds.follow(listOf(list), 5, new Listener());
    expect(reader.opened).toHaveLength(1);
    feeds.follow({ ...LIST, definitionHash: 'other' }, 5, new Listener());
    feeds.follow({ ...LIST, tag: { boardId: 'arena', seasonId: '2' } }, 5, new Listener());
    expect(reader.opened).toHaveLength(3);
  });

  it('gives each list its own changes, and the seq to all', () => {
    const reader = new HandReader();
    const feeds = new TagFeeds(reader);
    const [season, day, guild] = [new Listener(), new Listener(), new Listener()];
    feeds.follow(listOf('s'), 0, season);
    feeds.follow(listOf('d:2026-10-12'), 0, day);
    feeds.follow(listOf('s:guild:1'), 0, guild);
    const changes = [change('s', 'a'), change('d:2026-10-12', 'a'), change('s', 'b')];
    reader.opened[0]?.listener.changes({ epoch: 1, fromSeq: 1, toSeq: 3, changes });
    const told = [season, day, guild].map(({ sets }) => sets.map((set) => [set.fromSeq, set.toSeq, set.changes]));
    expect(told).toEqual([[[1, 3, [changes[0], changes[2]]]], [[1, 3, [changes[1]]]], [[1, 3, []]]]);
    reader.opened[0]?.listener.position({ epoch: 1, seq: 3 });
    expect([season, day, guild].map(({ positions }) => positions.length)).toEqual([1, 1, 1]);
  });

  it('goes back for who begins further back, and not for who is ahead', () => {
    const reader = new HandReader();
    const feeds = new TagFeeds(reader);
    const first = feeds.follow(listOf('s'), 10, new Listener());
    reader.opened[0]?.listener.changes({ epoch: 1, fromSeq: 11, toSeq: 20, changes: [] });
    feeds.follow(listOf('d:2026-10-12'), 20, new Listener());
    feeds.follow(listOf('d:2026-10-13'), 25, new Listener());
    expect(reader.restarts).toEqual([]);
    feeds.follow(listOf('s:guild:1'), 14, new Listener());
    first.restart(12);
    first.restart(13);
    expect(reader.restarts).toEqual([14, 12]);
  });

  it('closes with the last of them, and opens anew for the next', () => {
    const reader = new HandReader();
    const feeds = new TagFeeds(reader);
    const [one, two] = [feeds.follow(listOf('s'), 0, new Listener()), feeds.follow(listOf('s'), 0, new Listener())];
    one.close();
    expect(reader.closed).toBe(0);
    two.close();
    expect(reader.closed).toBe(1);
    feeds.follow(listOf('s'), 7, new Listener());
    expect(reader.opened.map(({ from }) => from)).toEqual([0, 7]);
  });

  it('costs lists that do not change a look each, however many changes there are', () => {
    const reader = new HandReader();
    const feeds = new TagFeeds(reader);
    const quiet = Array.from({ length: 1_000 }, (_, index) => {
      const listener = new Listener();
      feeds.follow(listOf(`s:guild:${index}`), 0, listener);
      return listener;
    });
    const changes = Array.from({ length: 300 }, (_, index) => change('s', `p${index}`));
    reader.opened[0]?.listener.changes({ epoch: 1, fromSeq: 1, toSeq: 300, changes });
    // All are handed the same empty array: nothing was filtered for them one by one.
    expect(new Set(quiet.map(({ sets }) => sets[0]?.changes)).size).toBe(1);
  });
});
