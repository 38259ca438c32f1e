/** Windows on every list of a board: days that end, weeks, scopes, seasons, over a real ranking in memory. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BoardFrame, ErrorCode, FrameType, SubscribeStart, WindowKind } from '../../proto/frames.js';
import type { BoardSet } from '../../src/domain/board.js';
import { type BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import { packScore } from '../../src/domain/packed-score.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { answered, GatewayRig, pace } from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

/** In Tokyo, where no season and no day begins with one of UTC's, at 23:00 of the 12th, a Monday. */
const EVENING = Date.UTC(2026, 9, 12, 14);
const MIDNIGHT = Date.UTC(2026, 9, 12, 15);
const DAY_MS = 86_400_000;
const lists = { periods: ['day', 'week'], zone: 'Asia/Tokyo', scopes: ['guild'] } as const;
const BOARDS: BoardSet = {
  modes: [{ mode: 'arena', fields: { points: { min: 0, max: 100_000 } } }],
  boards: [
    { ...ARENA_BOARD, ...lists, topSize: 5 },
    { ...ARENA_BOARD, boardId: 'guilds', subject: 'guild', topSize: 5 },
  ],
  calendar: {
    seasons: [
      { seasonId: '11', startsAt: Date.UTC(2026, 8, 1), endsAt: Date.UTC(2026, 9, 1) },
      { seasonId: '12', startsAt: Date.UTC(2026, 9, 1), endsAt: Date.UTC(2026, 10, 1) },
    ],
    graceMs: 3_600_000,
  },
  maxLatenessMs: 7 * DAY_MS,
};

let now: number;
/** By tag: how many results it has had. */
let played: Map<string, number>;
let ranking: MemoryRanking;
let rig: GatewayRig<MemoryRanking>;
const seasons = new BoardSeasons(BOARDS);

function seasonOf(boardId: string, seasonId: string): BoardSeason {
  const found = seasons.find(boardId, seasonId, now);
  if (found === undefined) throw new Error('it is declared');
  return found;
}

/** A result counts in all of its lists, at the broker's time of the rig's clock. */
async function play(playerId: string, points: number, guild?: string, at = now): Promise<void> {
  const scopes = guild === undefined ? {} : { guild };
  for (const boardId of ['arena', 'guilds']) {
    const found = seasonOf(boardId, at < Date.UTC(2026, 9, 1) ? '11' : '12');
    const subject = found.lists.subjectOf(playerId, { scopes });
    if (subject === undefined) continue;
    const offset = played.get(found.name) ?? 0;
    played.set(found.name, offset + 1);
    const score = packScore(found.layout, { points }, at);
    const result = { playerId: subject, score, lists: found.lists.listsOf({ achievedAt: at, scopes }), offset, at };
    const batch = { source: 'test', partition: 0, from: offset, to: offset + 1, results: [result] };
    expect(await ranking.submit(found.tag, found.definition.hash, batch)).toMatchObject({ kind: 'done' });
  }
}

beforeEach(async () => {
  holdTimers();
  now = EVENING;
  played = new Map();
  ranking = new MemoryRanking({ now: () => now });
  for (const { tag, definition } of seasons.all) {
    await ranking.begin(tag, definition, { jobId: 'job', positions: [], hidden: [] });
    await ranking.finish(tag, 'job', 0, EMPTY_SUM);
  }
  rig = new GatewayRig(ranking, 5, { boards: BOARDS, now: () => now, maxLists: 5 });
  rig.hubs.start();
  await turns();
});
afterEach(async () => {
  rig.close();
  await ranking.close();
  vi.useRealTimers();
});

async function watch(client: TestClient, kind: number, list: string): Promise<number> {
  const reqId = client.subscribe(kind, [], list);
  await answered(client, reqId);
  await turns();
  return client.topic(reqId);
}

async function refusal(client: TestClient, kind: number, list: string): Promise<unknown> {
  const answer = await answered(client, client.subscribe(kind, [], list));
  expect(answer?.[0]).toBe(FrameType.error);
  return answer?.[2];
}

function topOf(client: TestClient, topic: number): unknown[] {
  expect(client.troubles).toEqual([]);
  return client
    .top(topic)
    .read(false)
    .entries.map((row) => `${row.playerId} ${row.score}`);
}

/** Until sessions were told, and the look at the clock after that. */
async function settle(): Promise<void> {
  await pace();
  await vi.advanceTimersByTimeAsync(1_000);
  await turns();
}

describe('a window on a list', () => {
  it('shows what counts there and nothing else', async () => {
    await play('old', 9_000, undefined, Date.UTC(2026, 8, 30));
    await play('eve', 500, undefined, MIDNIGHT - DAY_MS - 1);
    await play('a', 100, '77');
    await play('b', 200, '78');
    const client = await rig.client();
    const topics: Record<string, number> = {};
    const ids = ['arena', 'arena;d', 'arena;w', 'arena;d=2026-10-11', 'arena;d;guild=77', 'guilds'];
    for (const id of ids) topics[id] = await watch(client, WindowKind.top, id);
    await play('c', 300, '77');
    await settle();
    expect(Object.fromEntries(ids.map((id) => [id, topOf(client, topics[id] ?? 0)]))).toEqual({
      arena: ['eve 500', 'c 300', 'b 200', 'a 100'],
      'arena;d': ['c 300', 'b 200', 'a 100'],
      'arena;w': ['c 300', 'b 200', 'a 100'],
      'arena;d=2026-10-11': ['eve 500'],
      'arena;d;guild=77': ['c 300', 'a 100'],
      guilds: ['77 300', '78 200'],
    });
    const past = await watch(client, WindowKind.top, 'arena;s=11');
    expect(topOf(client, past)).toEqual(['old 9000']);
  });

  it('has own ranks and friends as well', async () => {
    for (const [id, points] of [
      ['a', 10],
      ['b', 20],
      ['c', 30],
    ] as const)
      await play(id, points, id === 'c' ? '2' : '1');
    rig.friends.lists.set('a', ['b', 'c']);
    const client = await rig.client('a');
    await watch(client, WindowKind.me, 'arena;guild=1');
    await watch(client, WindowKind.friends, 'arena;guild=1');
    await play('b', 5);
    await play('a', 40, '1');
    await settle();
    expect(client.me().read(false)).toMatchObject({ rank: 1, prevRank: 2, score: 40, total: 2 });
    const rows = client
      .friends()
      .read(false)
      .entries.map((row) => [row.playerId, row.rank]);
    expect(rows).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', null],
    ]);
  });

  it('says which list it is, and when it ends', async () => {
    const client = await rig.client();
    const answer = await answered(client, client.subscribe(WindowKind.top, [], 'arena;d;guild=%F0%9F%98%80'));
    const board = answer?.[6] as unknown[];
    expect([board[0], board[2], ...board.slice(7, 9), ...board.slice(11)]).toEqual([
      ...['arena', '12', MIDNIGHT - DAY_MS, MIDNIGHT],
      ...['d:2026-10-12', 'guild:😀'],
    ]);
  });
});

describe('a window that follows the clock', () => {
  it('begins the next day after midnight with BOARD, another epoch and its rows; a dated one stays', async () => {
    await play('a', 100);
    await play('b', 200);
    rig.friends.lists.set('a', ['b']);
    const client = await rig.client('a');
    const following = await watch(client, WindowKind.top, 'arena;d');
    const dated = await watch(client, WindowKind.top, 'arena;d=2026-10-12');
    await watch(client, WindowKind.me, 'arena;d');
    await watch(client, WindowKind.friends, 'arena;d');
    expect(following).not.toBe(dated);
    const { epoch } = client.top(following).read(false);
    client.clear();

    now = MIDNIGHT;
    await play('b', 7);
    await settle();
    const boards = client.frames.filter((frame): frame is BoardFrame => frame[0] === FrameType.board);
    expect(boards.map((frame) => [frame[2], frame[3]?.[7], frame[3]?.[11]])).toEqual(
      Array(3).fill([0, MIDNIGHT, 'd:2026-10-13']),
    );
    // Nothing of the new day before its heading.
    for (const topic of boards.map((frame) => frame[1])) {
      const first = client.frames.find((frame) => frame[0] >= FrameType.snapshot && frame[1] === topic);
      expect(first?.[0]).toBe(FrameType.board);
    }
    expect(topOf(client, following)).toEqual(['b 7']);
    expect(client.top(following).read(false).epoch).not.toBe(epoch);
    expect(topOf(client, dated)).toEqual(['b 200', 'a 100']);
    expect(client.me().read(false)).toMatchObject({ rank: null, score: null, total: 1 });
    expect(
      client
        .friends()
        .read(false)
        .entries.map((row) => [row.playerId, row.score]),
    ).toEqual([
      ['b', 7],
      ['a', null],
    ]);

    await play('a', 8);
    await play('b', 300, undefined, MIDNIGHT - 1);
    await settle();
    expect(topOf(client, following)).toEqual(['a 8', 'b 7']);
    expect(topOf(client, dated)).toEqual(['b 300', 'a 100']);
    expect(client.me().read(false)).toMatchObject({ rank: 1, score: 8, total: 2 });
  });

  it('answers who comes back after midnight with the position of yesterday by a snapshot', async () => {
    await play('a', 100);
    let client = await rig.client();
    const topic = await watch(client, WindowKind.top, 'arena;d');
    const held = client.top(topic).copy();
    client.session.closed(1_006);
    now = MIDNIGHT;
    await settle();
    client = await rig.client();
    const reqId = client.subscribe(WindowKind.top, [], 'arena;d', held);
    const answer = await answered(client, reqId);
    expect(answer?.slice(3, 4)).toEqual([SubscribeStart.snapshot]);
    await turns();
    expect(topOf(client, client.topic(reqId))).toEqual([]);
  });

  it('stays at the last day of its season', async () => {
    const client = await rig.client();
    const topic = await watch(client, WindowKind.top, 'arena;d;guild=1');
    now = Date.UTC(2026, 9, 31, 20);
    await settle();
    await play('z', 1, '1');
    await settle();
    now = Date.UTC(2026, 10, 2);
    await settle();
    expect(topOf(client, topic)).toEqual(['z 1']);
  });
});

describe('a list', () => {
  it('that a board does not have is refused, each with its code', async () => {
    const client = await rig.client('a');
    for (const [list, code] of [
      ['arena;s=13', ErrorCode.notFound],
      ['nowhere;d', ErrorCode.notFound],
      ['guilds;d', ErrorCode.badArgument],
      ['arena;region=1', ErrorCode.badArgument],
      ['arena;d=2026-11-02', ErrorCode.badArgument],
      ['arena;d=2026-10-05', ErrorCode.notFound],
      ['arena;guild=%00', ErrorCode.badArgument],
      [`arena;guild=${'x'.repeat(65)}`, ErrorCode.badArgument],
      ['arena;guild', ErrorCode.badArgument],
    ] as const) {
      expect(await refusal(client, WindowKind.top, list), list).toBe(code);
    }
    for (const kind of [WindowKind.me, WindowKind.friends]) {
      expect(await refusal(client, kind, 'guilds')).toBe(ErrorCode.badArgument);
    }
    expect(client.socket.closes).toEqual([]);
  });

  it('of a value that nobody has had is empty, whatever is in it', async () => {
    await play('a', 1, '7');
    const client = await rig.client();
    for (const value of ['8', '7%3A', '%7B7%7D', '%E2%80%8F7', '7%3Bd']) {
      expect(topOf(client, await watch(client, WindowKind.top, `arena;guild=${value}`))).toEqual([]);
    }
  });

  it('is shown while there is room; those of the current seasons always are', async () => {
    const client = await rig.client();
    for (let guild = 0; guild < 5; guild += 1) await watch(client, WindowKind.top, `arena;guild=${guild}`);
    expect(await refusal(client, WindowKind.top, 'arena;guild=5')).toBe(ErrorCode.unavailable);
    await watch(client, WindowKind.top, 'arena;guild=0');
    await watch(client, WindowKind.top, 'arena');
    await watch(client, WindowKind.top, 'guilds');
    // Who leaves makes room after a while.
    client.session.closed(1_006);
    await vi.advanceTimersByTimeAsync(180_000);
    const next = await rig.client();
    await watch(next, WindowKind.top, 'arena;guild=5');
  });

  it('ends with UNSUBSCRIBED 404 when its rows are gone', async () => {
    await play('a', 100);
    const client = await rig.client('a');
    const top = await watch(client, WindowKind.top, 'arena;d=2026-10-12');
    const own = await watch(client, WindowKind.me, 'arena;d=2026-10-12');
    const week = await watch(client, WindowKind.top, 'arena;w=2026-W42');
    now = MIDNIGHT + 3 * DAY_MS - 1;
    await settle();
    expect(client.frames.some((frame) => frame[0] === FrameType.unsubscribed)).toBe(false);
    now += 1;
    await settle();
    const ended = client.frames.filter((frame) => frame[0] === FrameType.unsubscribed);
    expect(ended.map((frame) => [frame[1], frame[2], frame[3]]).sort()).toEqual(
      [top, own].map((topic) => [0, topic, ErrorCode.notFound]).sort(),
    );
    expect(topOf(client, week)).toEqual(['a 100']);
  });
});
