import { beforeEach, describe, expect, it } from 'vitest';
import { type PlayerWatcher, TrackedPlayer } from '../../src/views/tracked-player.js';
import { Watchers } from '../../src/views/watchers.js';

let watchers: Watchers;
let told: string[];

class Named implements PlayerWatcher {
  watcherNumber = 0;
  onMoved: () => void = () => {};
  constructor(readonly name: string) {}

  playerMoved(player: TrackedPlayer, at: number | null): void {
    told.push(`${this.name} of ${player.playerId} at ${at}`);
    this.onMoved();
  }
}

beforeEach(() => {
  watchers = new Watchers();
  told = [];
});

const player = (playerId: string) => new TrackedPlayer(playerId, 1, 1);

describe('Watchers', () => {
  it('tells each who watches the player, once, however often it began', () => {
    const [a, b] = [player('a'), player('b')];
    const [one, other] = [new Named('one'), new Named('other')];
    for (let time = 0; time < 3; time += 1) watchers.add(a, one);
    watchers.add(a, other);
    watchers.add(b, other);
    watchers.tell(a, 5);
    expect(told.sort()).toEqual(['one of a at 5', 'other of a at 5']);
    expect([a.watcherCount, b.watcherCount]).toEqual([2, 1]);
  });

  it('tells nobody who has left, and knows nothing of who watches nobody any more', () => {
    const [a, b] = [player('a'), player('b')];
    const one = new Named('one');
    watchers.add(a, one);
    watchers.add(b, one);
    watchers.remove(a, one);
    watchers.remove(a, one);
    watchers.tell(a, null);
    expect([told, a.watcherCount, watchers.size]).toEqual([[], 0, 1]);
    watchers.remove(b, one);
    expect([watchers.size, one.watcherNumber]).toEqual([0, 0]);
  });

  it('gives the numbers of those who left to others', () => {
    const a = player('a');
    for (let round = 0; round < 1_000; round += 1) {
      const one = new Named('one');
      watchers.add(a, one);
      expect(one.watcherNumber).toBe(1);
      watchers.remove(a, one);
    }
    const last = new Named('last');
    watchers.add(a, last);
    watchers.tell(a, 1);
    expect(told).toEqual(['last of a at 1']);
  });

  it('goes on where one of those who are told leaves', () => {
    const a = player('a');
    const all = ['one', 'two', 'three'].map((name) => new Named(name));
    for (const one of all) {
      watchers.add(a, one);
      one.onMoved = () => watchers.remove(a, one);
    }
    watchers.tell(a, 1);
    expect(told).toHaveLength(3);
    expect([a.watcherCount, watchers.size]).toEqual([0, 0]);
  });
});
