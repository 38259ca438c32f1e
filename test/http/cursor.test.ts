/** Pages by cursor, over the routes. */

import { describe, expect, it } from 'vitest';
import { readBoards } from '../../src/boards.js';
import { BoardSeasons } from '../../src/domain/board-season.js';
import type { WindowReader } from '../../src/http/stores.js';
import { boardOf, parseBody, TestApi, unfilledBoard } from './call-api.js';

const FILE = `
modes:
  - { id: arena, points: { max: 2097151 } }
boards:
  - { id: arena, modes: [arena], periods: [day], scopes: [guild] }
  - { id: duel, modes: [arena] }
calendar:
  seasons:
    - { id: '1', startsAt: 2026-01-01, endsAt: 2031-01-01 }
`;
const seasons = new BoardSeasons(readBoards(FILE));
const NOW = Date.UTC(2026, 9, 12, 18);

function apiOf(points: Readonly<Record<string, number>>, now = NOW): TestApi {
  return new TestApi({ seasons, reader: boardOf(points), now: () => now });
}

interface Page {
  readonly entries: readonly { readonly playerId: string; readonly rank: number }[];
  readonly period: string | null;
  readonly scope: string | null;
  readonly next: number | null;
  readonly nextCursor: string | null;
}

const entries = '/v1/boards/arena/entries';
const get = async (api: TestApi, url: string) => (await api.get(url)) as Page;
const ranksOf = (page: Page) => page.entries.map(({ rank, playerId }) => [rank, playerId]);

async function firstCursor(query = 'limit=2', points: Readonly<Record<string, number>> = { a: 3, b: 2, c: 1 }) {
  const { nextCursor } = await get(apiOf(points), `${entries}?${query}`);
  if (nextCursor === null) throw new Error('there is no further page');
  return nextCursor;
}

describe('a cursor', () => {
  it('goes on below the last row, wherever that stands by then, and with the ranks of now', async () => {
    const cursor = await firstCursor();
    const moved = apiOf({ new: 9, a: 3, b: 2, late: 1, c: 1, d: 0 });
    const page = await get(moved, `${entries}?limit=2&cursor=${cursor}`);
    expect(ranksOf(page)).toEqual([
      [4, 'late'],
      [5, 'c'],
    ]);
    expect(page.next).toBe(6);
    const last = await get(moved, `${entries}?cursor=${page.nextCursor}`);
    expect([ranksOf(last), last.next, last.nextCursor]).toEqual([[[6, 'd']], null, null]);
  });

  it('goes on where the last row went away, and finds nothing where all below it did', async () => {
    const cursor = await firstCursor();
    expect(ranksOf(await get(apiOf({ a: 3, c: 1 }), `${entries}?cursor=${cursor}`))).toEqual([[2, 'c']]);
    const empty = await get(apiOf({ a: 3 }), `${entries}?cursor=${cursor}`);
    expect([empty.entries, empty.next, empty.nextCursor]).toEqual([[], null, null]);
  });

  it('holds ids of any kind', async () => {
    const strange = { '{a}:1': 5, '\u200fb': 4, '😀': 3, 'é"\\': 2, '%41+': 1 };
    const api = apiOf(strange);
    const seen: string[] = [];
    for (let query = 'limit=1'; query !== ''; ) {
      const { entries: rows, nextCursor } = await get(api, `${entries}?${query}`);
      seen.push(...rows.map(({ playerId }) => playerId));
      query = nextCursor === null ? '' : `limit=1&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(Object.keys(strange));
  });

  it('names its list by itself, and goes on in that of yesterday after midnight', async () => {
    const cursor = await firstCursor('limit=2&period=d&scope=guild:%F0%9F%98%80');
    const tomorrow = apiOf({ a: 3, b: 2, c: 1 }, NOW + 86_400_000);
    for (const query of ['', '&period=d', '&period=d:2026-10-12&season=1&scope=guild:😀']) {
      const page = await get(tomorrow, `${entries}?cursor=${cursor}${query}`);
      expect([page.period, page.scope, ranksOf(page)]).toEqual(['d:2026-10-12', 'guild:😀', [[3, 'c']]]);
    }
  });

  it.each(['season=2', 'period=w', 'period=d:2026-10-13', 'scope=guild:8', 'from=3'])(
    'is refused beside %s',
    async (query) => {
      const cursor = await firstCursor('limit=2&period=d&scope=guild:7');
      const response = await apiOf({}).call('GET', `${entries}?cursor=${cursor}&${query}`);
      expect(response.status).toBe(400);
      expect(parseBody(response)).toMatchObject({
        detail: expect.stringMatching(/^(the cursor is of another|from and)/),
      });
    },
  );

  it('is refused on another board, and where it is none', async () => {
    const cursor = await firstCursor();
    const json = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const forged = ['arena', '1', null, null, 'hash', -1, 'a'];
    const urls = [`/v1/boards/duel/entries?cursor=${cursor}`];
    for (const text of ['', 'x', '%00', cursor.slice(4), json(null), json([]), json(forged), 'x'.repeat(9_000)]) {
      urls.push(`${entries}?cursor=${text}`);
    }
    for (const url of urls) expect((await apiOf({}).call('GET', url)).status, url.slice(0, 60)).toBe(400);
  });

  it('is answered 409 with the first page where the board was defined anew', async () => {
    const cursor = await firstCursor('limit=2&period=d');
    const anew = new BoardSeasons(readBoards(FILE.replace('id: arena, modes: [arena],', '$& order: low,')));
    const response = await new TestApi({ seasons: anew, reader: boardOf({}) }).call(
      'GET',
      `${entries}?cursor=${cursor}`,
    );
    expect(response.status).toBe(409);
    const first = `${entries}?season=1&period=d%3A2026-10-12`;
    expect(parseBody(response)).toMatchObject({ type: '/problems/conflict', reason: 'stale_cursor', first });
  });

  it('is 503 while the board is filled', async () => {
    const api = new TestApi({ seasons, reader: unfilledBoard satisfies WindowReader });
    expect((await api.call('GET', `${entries}?cursor=${await firstCursor()}`)).status).toBe(503);
  });
});
