import { describe, expect, it } from 'vitest';
import { BoardSeasons } from '../../src/domain/board-season.js';
import { ARENA_BOARD, boardSetOf } from '../support/definitions.js';
import { boardOf, TestApi } from './call-api.js';

const board = boardOf({ a: 3, b: 2, c: 1 });
const api = new TestApi({ reader: board });
const entries = '/v1/boards/arena/entries?limit=2';

function at(seq: number, epoch = 7) {
  return new TestApi({ reader: { ...board, readRange: async () => ({ epoch, seq, total: 0, rows: [] }) } });
}

async function tagOf(one: TestApi, url = entries): Promise<string> {
  const { headers } = await one.call('GET', url);
  return headers['etag'] ?? '';
}

describe('the tag of a public window', () => {
  it('answers 304 without a body to who has it, however it is named, and 200 to others', async () => {
    const tag = await tagOf(api);
    expect(tag).toMatch(/^W\/"7-2a-[0-9a-f]+"$/);
    for (const known of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
      const response = await api.call('GET', entries, { headers: { 'if-none-match': known } });
      expect([response.status, response.body, response.headers['etag']]).toEqual([304, '', tag]);
      expect(response.headers).toMatchObject({ 'cache-control': 'public, max-age=1, stale-while-revalidate=5' });
      expect(response.headers).not.toHaveProperty('content-type');
    }
    for (const other of ['"7-2a"', 'W/"7-2b-0"', '']) {
      expect((await api.call('GET', entries, { headers: { 'if-none-match': other } })).status).toBe(200);
    }
  });

  it('is on every public window', async () => {
    const player = '/v1/boards/arena/players/a';
    for (const url of [
      entries,
      player,
      `${player}/around`,
      '/seasons/1/leaderboard',
      '/seasons/1/leaderboard/players/a/around',
    ]) {
      expect(await tagOf(api, url), url).not.toBe('');
    }
  });

  it('is another one for another seq, epoch, list or definition of tiers', async () => {
    const lists = new BoardSeasons(boardSetOf([{ ...ARENA_BOARD, periods: ['day'], scopes: ['guild'] }]));
    const tiers = { measure: 'points', steps: [{ name: 'gold', limit: 2 }], isLow: false } as const;
    const tiered = new BoardSeasons(boardSetOf([{ ...ARENA_BOARD, tiers }]));
    const withLists = new TestApi({ reader: board, seasons: lists });
    const tags = [
      await tagOf(at(42)),
      await tagOf(at(43)),
      await tagOf(at(42, 8)),
      await tagOf(withLists, `${entries}&period=d`),
      await tagOf(withLists, `${entries}&scope=guild:7`),
      await tagOf(new TestApi({ reader: board, seasons: tiered })),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });
});
