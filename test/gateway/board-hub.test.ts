import { unpack } from 'msgpackr';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { boardSeason } from '../../src/domain/board-season.js';
import { BoardHub } from '../../src/gateway/board-hub.js';
import { WatchedList } from '../../src/gateway/watched-list.js';
import type { PlayerWatcher, TrackedPlayer } from '../../src/views/tracked-player.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { holdTimers } from '../views/support/view-rig.js';
import { boardSet, SEASON, score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';

const GAMES_MODE = { mode: 'arena', fields: { points: { min: 0, max: 1_000 }, games: { min: 0, max: 100 } } };
const WATCHER: PlayerWatcher = { watcherNumber: 0, playerMoved: () => {} };

let board: HandBoard;

beforeEach(async () => {
  holdTimers();
  board = await new HandBoard({ a: 50, b: 40, c: 30, d: 20, e: 10 }).start();
});
afterEach(() => {
  board.hub.view.close();
  vi.useRealTimers();
});

async function watch(playerId: string): Promise<TrackedPlayer> {
  const [player] = await board.hub.view.watch([playerId], WATCHER);
  if (player === undefined) throw new Error('one was asked for');
  return player;
}

describe('BoardHub description', () => {
  it.each([
    ['high', 0],
    ['low', 1],
  ] as const)('says which end of the first key is rank 1: %s', (order, code) => {
    const boards = boardSet(3);
    const keys = [
      { field: 'points', order },
      { field: 'games', order: 'high' as const },
    ];
    const season = boardSeason({ ...boards, modes: [GAMES_MODE] }, { ...ARENA_BOARD, keys }, SEASON);
    const list = WatchedList.choose(season, { period: null, scope: null }, Date.now());
    const described = new BoardHub(
      { list, gatewayId: 1, schedule: board.schedule, nextTopic: () => 1, onError: () => {} },
      () => board.hub.view,
    ).describe();
    expect(described.slice(0, 4)).toEqual(['arena', 'Arena', SEASON.seasonId, code]);
  });
});

describe('BoardHub rows', () => {
  it('are encoded once for all who watch the player, with his id and without', async () => {
    const player = await watch('c');
    const [row, first] = [board.hub.encodeRow(player), board.hub.encodeFirstRow(player)];
    expect(board.hub.encodeRow(player)).toBe(row);
    expect(board.hub.encodeFirstRow(player)).toBe(first);
    expect(unpack(first)).toEqual([player.ref, 30, 3, null, expect.any(Number), null, 'c', null]);
    expect(unpack(row)).toEqual((unpack(first) as unknown[]).slice(0, 6));
  });

  const moves: Record<string, () => void | Promise<void>> = {
    'his own result': () => board.ranking.apply(['c', score(60)]),
    'results of others': async () => {
      board.ranking.apply(['e', score(60)]);
      await vi.advanceTimersByTimeAsync(750);
    },
    'a new history': async () => await board.replace(2, { a: 1, c: 3 }),
  };
  for (const [what, move] of Object.entries(moves)) {
    it(`are encoded anew after ${what}`, async () => {
      const player = await watch('c');
      board.hub.encodeRow(player);
      board.hub.encodeFirstRow(player);
      await move();
      const { rank, ref } = player;
      expect((unpack(board.hub.encodeRow(player)) as unknown[]).slice(0, 3)).toEqual([
        ref,
        board.hub.points(player.score),
        rank,
      ]);
      expect((unpack(board.hub.encodeFirstRow(player)) as unknown[]).slice(0, 3)).toEqual([
        ref,
        board.hub.points(player.score),
        rank,
      ]);
    });
  }
});

describe('PlayerRefs', () => {
  it('name a player of a top by one number for good', () => {
    const { refs } = board.hub;
    const [a, b] = [refs.ofTop('a'), refs.ofTop('b')];
    expect(a).not.toBe(b);
    expect([refs.ofTop('a'), refs.ofTop('b')]).toEqual([a, b]);
  });

  it('go with a tracked player whom nobody watches any more, and never to somebody else', async () => {
    const { refs, view } = board.hub;
    const seen = new Set([refs.ofTop('a'), refs.ofTop('c')]);
    for (let i = 0; i < 3; i++) {
      const player = await watch('c');
      const ref = refs.ofTracked(player);
      expect([refs.ofTracked(player), refs.ofTracked(await watch('c'))]).toEqual([ref, ref]);
      expect(seen).not.toContain(ref);
      seen.add(ref);
      const other = refs.ofTracked(await watch('nobody'));
      expect(seen).not.toContain(other);
      seen.add(other);
      for (const playerId of ['c', 'nobody']) view.unwatch([await watch(playerId)], WATCHER);
    }
    expect(view.trackedCount).toBe(0);
  });

  it('keep nothing of whom clients ask for', async () => {
    const { refs } = board.hub;
    const ofTop = Reflect.get(refs, 'ofTopPlayers') as Map<string, number>;
    for (const playerId of ['x', 'y', 'z']) board.hub.encodeFirstRow(await watch(playerId));
    expect(ofTop.size).toBe(0);
  });
});
