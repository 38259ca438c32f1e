/** Which list `?period=` and `?scope=` name, over the routes. */

import { describe, expect, it } from 'vitest';
import { readBoards } from '../../src/boards.js';
import { BoardSeasons } from '../../src/domain/board-season.js';
import type { ListRef } from '../../src/domain/lists.js';
import { boardOf, parseBody, TestApi, tokens, unfilledBoard } from './call-api.js';

const seasons = new BoardSeasons(
  readBoards(`
modes:
  - { id: arena, points: { max: 10000 } }
boards:
  - { id: arena, modes: [arena], periods: [day, week], zone: Asia/Tokyo, scopes: [guild, region] }
  - { id: days, modes: [arena], periods: [day] }
  - { id: plain, modes: [arena] }
  - { id: guilds, modes: [arena], subject: guild }
calendar:
  seasons:
    - { id: '11', startsAt: 2026-09-01, endsAt: 2026-10-01 }
    - { id: '12', startsAt: 2026-10-01, endsAt: 2026-11-01 }
`),
);

/** In Tokyo the thirteenth began three hours ago. */
const NOW = Date.UTC(2026, 9, 12, 18);

/** Keeps the lists that it was asked for; all of them have the same rows. */
function watched(now = NOW): { readonly api: TestApi; readonly asked: ListRef[] } {
  const asked: ListRef[] = [];
  const board = boardOf({ a: 30, b: 20 });
  const api = new TestApi({
    seasons,
    reader: {
      readRange: (list, ...rest) => {
        asked.push(list);
        return board.readRange(list, ...rest);
      },
      readBelow: (list, ...rest) => {
        asked.push(list);
        return board.readBelow(list, ...rest);
      },
      readAround: (list, ...rest) => {
        asked.push(list);
        return board.readAround(list, ...rest);
      },
      readPlayers: (list, ...rest) => {
        asked.push(list);
        return board.readPlayers(list, ...rest);
      },
    },
    now: () => now,
  });
  return { api, asked };
}

/** The list that is read for a query, and what the body names. */
async function listFor(query: string, now = NOW, boardId = 'arena') {
  const { api, asked } = watched(now);
  const body = (await api.get(`/v1/boards/${boardId}/entries?${query}`)) as Record<string, unknown>;
  expect(asked).toHaveLength(1);
  return { list: asked[0]?.list, period: body['period'], scope: body['scope'], seasonId: body['seasonId'] };
}

/** Status and detail of what is not answered. */
async function refusal(query: string, now = NOW, boardId = 'arena'): Promise<string> {
  const { api, asked } = watched(now);
  const response = await api.call('GET', `/v1/boards/${boardId}/entries?${query}`);
  expect(asked).toEqual([]);
  return `${response.status} ${(parseBody(response) as { readonly detail: string }).detail}`;
}

describe('the list of a window', () => {
  it.each([
    ['', 's', null, null],
    ['period=d', 'd:2026-10-13', 'd:2026-10-13', null],
    ['period=w', 'w:2026-W42', 'w:2026-W42', null],
    ['period=d:2026-10-12', 'd:2026-10-12', 'd:2026-10-12', null],
    ['period=d%3A2026-10-31', 'd:2026-10-31', 'd:2026-10-31', null],
    ['period=w:2026-W41', 'w:2026-W41', 'w:2026-W41', null],
    ['scope=guild:77', 's:guild:77', null, 'guild:77'],
    ['scope=guild%3A7:7%20', 's:guild:7:7 ', null, 'guild:7:7 '],
    ['scope=region:constructor&period=d', 'd:2026-10-13:region:constructor', 'd:2026-10-13', 'region:constructor'],
    ['period=w&scope=guild:%F0%9F%98%80', 'w:2026-W42:guild:😀', 'w:2026-W42', 'guild:😀'],
  ])('for %j is %s', async (query, list, period, scope) => {
    expect(await listFor(query)).toEqual({ list, period, scope, seasonId: '12' });
  });

  it('follows the clock of the zone where the period has no date', async () => {
    const midnight = Date.UTC(2026, 9, 12, 15);
    expect(await listFor('period=d', midnight - 1)).toMatchObject({ list: 'd:2026-10-12' });
    expect(await listFor('period=d', midnight)).toMatchObject({ list: 'd:2026-10-13' });
    const monday = Date.UTC(2026, 9, 11, 15);
    expect(await listFor('period=w', monday - 1)).toMatchObject({ list: 'w:2026-W41' });
    expect(await listFor('period=w', monday)).toMatchObject({ list: 'w:2026-W42' });
  });

  it('is that of the named season, of its definition', async () => {
    const { api, asked } = watched();
    await api.get('/v1/boards/arena/entries?season=11&scope=guild:1');
    const eleven = seasons.find('arena', '11', NOW);
    expect(asked).toEqual([{ tag: eleven?.tag, definitionHash: eleven?.definition.hash, list: 's:guild:1' }]);
  });

  it('is the same in every window', async () => {
    const { api, asked } = watched();
    const query = '?period=d&scope=guild:77';
    const players = '/v1/boards/arena/players/a';
    for (const url of [`/v1/boards/arena/entries${query}`, `${players}${query}`, `${players}/around${query}`]) {
      expect(await api.get(url)).toMatchObject({ period: 'd:2026-10-13', scope: 'guild:77', total: 2 });
    }
    const token = await tokens.sign('a', 60);
    expect(await api.get(`${players}/friends${query}&includeSelf=true`, { token })).toMatchObject({
      scope: 'guild:77',
    });
    expect(asked.map(({ list }) => list)).toEqual(Array(4).fill('d:2026-10-13:guild:77'));
  });

  it('is empty, and no problem, for a value that nobody has had', async () => {
    const nothing = new TestApi({ seasons, reader: boardOf({}) });
    expect(await nothing.get('/v1/boards/arena/entries?scope=guild:none')).toMatchObject({ total: 0, entries: [] });
    const unfilled = new TestApi({ seasons, reader: unfilledBoard });
    expect((await unfilled.call('GET', '/v1/boards/arena/entries?scope=guild:none')).status).toBe(503);
  });
});

const ALL_PERIODS = 'leave it out for the season, or send d, d:2026-10-12, w or w:2026-W42';

describe('a period is refused', () => {
  it.each([
    ['month', 'arena', `there is no period "month": ${ALL_PERIODS}`],
    ['D', 'arena', 'there is no period "D"'],
    ['', 'arena', 'there is no period ""'],
    ['d:', 'arena', 'there is no period "d:"'],
    ['w', 'days', 'board days does not rank each week: it ranks the season, each day'],
    ['d', 'plain', 'board plain does not rank each day: it ranks the season'],
    ['d:2026-09-30', 'arena', 'season 12 has no day "2026-09-30": its days are those from 2026-10-01 to 2026-11-01'],
    ['d:2026-11-02', 'arena', 'season 12 has no day "2026-11-02"'],
    ['d:2026-13-01', 'arena', 'season 12 has no day "2026-13-01"'],
    ['d:2026-10-13:guild:77', 'arena', 'season 12 has no day "2026-10-13:guild:77"'],
    ['w:2026-W50', 'arena', 'season 12 has no week "2026-W50": its weeks are those from 2026-W40 to 2026-W44'],
    ['w:2026-10-12', 'arena', 'season 12 has no week "2026-10-12"'],
  ])('for %j on board %s', async (period, boardId, detail) => {
    expect(await refusal(`period=${period}`, NOW, boardId)).toContain(`400 ${detail}`);
  });

  it('where it follows a clock that is outside the season', async () => {
    const over = Date.UTC(2026, 10, 1);
    expect(await listFor('period=d', over - 1)).toMatchObject({ list: 'd:2026-11-01' });
    expect(await refusal('period=d', over)).toContain('400 season 12 has no day now: its days are those from');
    expect(await refusal('period=w&season=11')).toContain('400 season 11 has no week now');
  });

  it('with 404 and the end of its time, once its lists are gone', async () => {
    // The ninth of October in Tokyo ended at 15:00 UTC, three days before this.
    const gone = Date.UTC(2026, 9, 12, 15);
    expect(await listFor('period=d:2026-10-09', gone - 1)).toMatchObject({ list: 'd:2026-10-09' });
    const detail = '404 the lists of d:2026-10-09 are gone: they were kept until 2026-10-12T15:00:00.000Z';
    expect(await refusal('period=d:2026-10-09', gone)).toBe(detail);
    expect(await refusal('period=d:2026-10-09&scope=guild:77', gone)).toBe(detail);
    expect(await refusal('period=w:2026-W37&season=11')).toContain('404 the lists of w:2026-W37 are gone');
    expect(await listFor('period=w:2026-W39&season=11')).toMatchObject({ list: 'w:2026-W39' });
  });
});

describe('a scope is refused', () => {
  it.each([
    ['clan:7', 'arena', 'board arena has no scope "clan": it has guild, region'],
    [':7', 'arena', 'board arena has no scope ""'],
    ['constructor:7', 'arena', 'board arena has no scope "constructor"'],
    ['guild:7', 'plain', 'board plain has no scope "guild": it has none'],
    ['guild:7', 'guilds', 'board guilds has no scope "guild"'],
    ['guild', 'arena', 'scope must be a name, a colon and a value, such as guild:77'],
    ['guild:', 'arena', 'a value of scope guild has 1 to 64 bytes of UTF-8'],
    ['guild:%00', 'arena', 'a value of scope guild has 1 to 64 bytes of UTF-8'],
    [`guild:${'x'.repeat(65)}`, 'arena', 'a value of scope guild has 1 to 64 bytes of UTF-8'],
  ])('for %j on board %s', async (scope, boardId, detail) => {
    expect(await refusal(`scope=${scope}`, NOW, boardId)).toContain(`400 ${detail}`);
  });
});

describe('a board that ranks guilds', () => {
  it('shows guilds as its players, and no friends', async () => {
    const { api } = watched();
    expect(await api.get('/v1/boards/guilds/players/b')).toMatchObject({ playerId: 'b', rank: 2 });
    const token = await tokens.sign('a', 60);
    const response = await api.call('GET', '/v1/boards/guilds/players/a/friends', { token });
    expect(response.status).toBe(400);
    expect(parseBody(response)).toMatchObject({ detail: expect.stringContaining('ranks by guild, not players') });
  });
});
