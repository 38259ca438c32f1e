import { expect, it } from 'vitest';
import { TestApi } from './call-api.js';

const arena = {
  boardId: 'arena',
  title: 'Arena',
  seasonId: '1',
  order: 'high',
  rule: 'best',
  keys: [{ field: 'points', order: 'high' }],
  modes: ['arena'],
  topSize: 100,
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
