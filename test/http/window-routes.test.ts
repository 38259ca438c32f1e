import { describe, expect, it } from 'vitest';
import { BoardSeasons } from '../../src/domain/board-season.js';
import { ARENA_BOARD, boardSetOf } from '../support/definitions.js';
import { boardOf, parseBody, TestApi, tokens, unfilledBoard } from './call-api.js';

const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`r${index + 1}`, 99 - index]));
const api = new TestApi({ reader: boardOf(ten) });
const players = '/v1/boards/arena/players';

type Body = { readonly entries: readonly { readonly playerId: string; readonly rank: number | null }[] };

async function idsOf(url: string): Promise<string[]> {
  return ((await api.get(url)) as Body).entries.map(({ playerId }) => playerId);
}

function span(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `r${from + index}`);
}

describe('the entries of a board', () => {
  it('come with points, ranks from 1, epoch, seq and the number of ranked players', async () => {
    expect(await api.get('/v1/boards/arena/entries?limit=2')).toEqual({
      board: 'arena',
      seasonId: '1',
      period: null,
      scope: null,
      epoch: 7,
      seq: 42,
      at: Date.UTC(2026, 9, 12, 18),
      total: 10,
      entries: [
        { rank: 1, prevRank: null, playerId: 'r1', name: null, score: 99, meta: null },
        { rank: 2, prevRank: null, playerId: 'r2', name: null, score: 98, meta: null },
      ],
      next: 3,
      nextCursor: expect.stringMatching(/^[\w-]+$/),
    });
  });

  it('are read page by page until next is null', async () => {
    const seen: string[] = [];
    let from: number | null = 1;
    while (from !== null) {
      const page = (await api.get(`/v1/boards/arena/entries?from=${from}&limit=4`)) as Body & { next: number | null };
      seen.push(...page.entries.map(({ playerId }) => playerId));
      from = page.next;
    }
    expect(seen).toEqual(span(1, 10));
  });

  it.each([0, -1, 11])('hold nothing at rank %i', async (rank) => {
    expect(await idsOf(`/v1/boards/arena/entries?from=${rank}&limit=1`)).toEqual([]);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'limit=', 'from=1e3', 'from=two'])(
    'are refused for %s',
    async (query) => {
      const response = await api.call('GET', `/v1/boards/arena/entries?${query}`);
      expect(response.status).toBe(400);
      expect(parseBody(response)).toMatchObject({ code: 400, detail: expect.stringContaining('whole number from') });
    },
  );

  it('take a declared season, and 404 for another board or season', async () => {
    expect(await idsOf('/v1/boards/arena/entries?season=1&limit=1')).toEqual(['r1']);
    for (const url of ['/v1/boards/arena/entries?season=2', '/v1/boards/duel/entries']) {
      expect((await api.call('GET', url)).status).toBe(404);
    }
  });
});

describe('one player', () => {
  it('has his own rank, the same in every view', async () => {
    expect(await api.get(`${players}/r10`)).toMatchObject({ rank: 10, playerId: 'r10', score: 90, total: 10 });
    expect(await api.get(`${players}/r10/around?radius=0`)).toMatchObject({ entries: [{ rank: 10, playerId: 'r10' }] });
    expect(await api.get('/v1/boards/arena/entries?from=10')).toMatchObject({ entries: [{ rank: 10 }], next: null });
  });

  it('stands in a tier, and among so many percent', async () => {
    const steps = [{ name: 'best third', limit: 33 }];
    const tiers = { measure: 'top-percent', steps, isLow: false } as const;
    const seasons = new BoardSeasons(boardSetOf([{ ...ARENA_BOARD, tiers }]));
    const tiered = new TestApi({ reader: boardOf(ten), seasons });
    expect(await tiered.get(`${players}/r4`)).toMatchObject({ topPercent: 40, tier: 'best third' });
    expect(await tiered.get(`${players}/r5`)).toMatchObject({ topPercent: 50, tier: null });
    expect(await tiered.get(`${players}/nobody`)).toMatchObject({ topPercent: null, tier: null });
    expect(await api.get(`${players}/r1`)).toMatchObject({ topPercent: 10, tier: null });
  });

  it('who has no row is there with rank null', async () => {
    const row = { rank: null, prevRank: null, playerId: 'nobody', name: null, score: null, meta: null };
    expect(await api.get(`${players}/nobody`)).toMatchObject({ ...row, entries: [row] });
  });

  it.each(['', '%00', `${'x'.repeat(65)}`, '%ED%A0%80', '%E0%A4%A'])('with the id %j is refused', async (id) => {
    expect([400, 404]).toContain((await api.call('GET', `${players}/${id}`)).status);
  });
});

describe('around a player (A12)', () => {
  it.each([
    ['r3', 3, 1, 6],
    ['r1', 5, 1, 6],
    ['r2', 5, 1, 7],
    ['r10', 3, 7, 10],
    ['r5', 0, 5, 5],
    ['r5', 100, 1, 10],
  ])('%s with radius %i is clamped to %i..%i', async (id, radius, from, to) => {
    expect(await idsOf(`${players}/${id}/around?radius=${radius}`)).toEqual(span(from, to));
  });

  it('takes radius 5 by default and refuses one above 100 or below 0', async () => {
    expect(await idsOf(`${players}/r6/around`)).toEqual(span(1, 10));
    for (const radius of [101, -1]) {
      expect((await api.call('GET', `${players}/r6/around?radius=${radius}`)).status).toBe(400);
    }
  });

  it('is empty for a player without a row', async () => {
    expect(await idsOf(`${players}/nobody/around`)).toEqual([]);
  });
});

describe('the friends of a player', () => {
  const friendly = new TestApi({ reader: boardOf(ten) });
  const url = `${players}/r5/friends`;
  for (const friend of ['r9', '😀', 'ａ', 'nobody-b', 'r2', 'nobody-a']) friendly.friends.pairs.add(`r5 ${friend}`);

  it('stand by global rank, those without a row last by the bytes of their ids', async () => {
    const token = await tokens.sign('r5', 60);
    const body = (await friendly.get(url, { token })) as Body;
    expect(body.entries.map(({ playerId, rank }) => [playerId, rank])).toEqual([
      ['r2', 2],
      ['r9', 9],
      ['nobody-a', null],
      ['nobody-b', null],
      ['ａ', null],
      ['😀', null],
    ]);
    const own = (await friendly.get(`${url}?includeSelf=true&limit=2`, { token })) as Body;
    expect(own.entries.map(({ playerId }) => playerId)).toEqual(['r2', 'r5']);
  });

  it('are shown to the player alone', async () => {
    expect((await friendly.call('GET', url)).status).toBe(401);
    expect((await friendly.call('GET', url, { token: 'forged' })).status).toBe(401);
    expect((await friendly.call('GET', url, { token: await tokens.sign('r6', 60) })).status).toBe(403);
    const own = await friendly.call('GET', url, { token: await tokens.sign('r5', 60) });
    expect(own.headers['cache-control']).toBe('private, no-cache');
  });
});

describe('a board that is not filled yet', () => {
  it('is 503 with Retry-After in every window', async () => {
    const empty = new TestApi({ reader: unfilledBoard });
    const urls = ['entries', 'players/r1', 'players/r1/around', 'players/r1/friends'].map(
      (tail) => `/v1/boards/arena/${tail}`,
    );
    for (const url of [...urls, '/seasons/1/leaderboard', '/seasons/1/leaderboard/players/r1/around']) {
      const response = await empty.call('GET', url, { token: await tokens.sign('r1', 60) });
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(parseBody(response)).toMatchObject({ type: '/problems/unavailable', code: 503 });
    }
  });
});
