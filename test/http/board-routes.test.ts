import { expect, it } from 'vitest';
import { BoardSeasons } from '../../src/domain/board-season.js';
import { ARENA_BOARD, boardSetOf } from '../support/definitions.js';
import { TestApi } from './call-api.js';

const arena = {
  boardId: 'arena',
  title: 'Arena',
  seasonId: '1',
  order: 'high',
  rule: 'best',
  keys: [{ field: 'points', order: 'high' }],
  modes: ['arena'],
  subject: 'player',
  periods: [],
  zone: 'UTC',
  scopes: [],
  topSize: 100,
  tiers: null,
  season: { startsAt: Date.UTC(2026, 0), endsAt: Date.UTC(2031, 0) },
};

it('lists the boards with their current season', async () => {
  expect(await new TestApi().get('/v1/boards')).toEqual({ boards: [arena] });
});

it('describes one board and does not know others', async () => {
  const api = new TestApi();
  expect(await api.get('/v1/boards/arena')).toEqual(arena);
  expect((await api.call('GET', '/v1/boards/duel')).status).toBe(404);
});

it('says of a board who is ranked, and in which lists', async () => {
  const lists = { subject: 'guild', periods: ['day', 'week'], zone: 'Asia/Tokyo', scopes: ['region'] } as const;
  const seasons = new BoardSeasons(boardSetOf([{ ...ARENA_BOARD, ...lists }]));
  expect(await new TestApi({ seasons }).get('/v1/boards/arena')).toEqual({ ...arena, ...lists });
});
