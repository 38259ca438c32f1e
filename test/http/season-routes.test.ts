import { expect, it } from 'vitest';
import { boardOf, TestApi } from './call-api.js';

const api = new TestApi({ reader: boardOf({ a: 30, b: 20, c: 20, d: 10 }) });
const around = '/seasons/1/leaderboard/players';

it('answers the default board as a plain array', async () => {
  expect(await api.get('/seasons/1/leaderboard?limit=3')).toEqual([
    { rank: 1, playerId: 'a', points: 30 },
    { rank: 2, playerId: 'c', points: 20 },
    { rank: 3, playerId: 'b', points: 20 },
  ]);
});

it('answers the neighbours of a player as a plain array', async () => {
  expect(await api.get(`${around}/d/around?radius=1`)).toEqual([
    { rank: 3, playerId: 'b', points: 20 },
    { rank: 4, playerId: 'd', points: 10 },
  ]);
});

it('answers an empty array where the season or the player is absent', async () => {
  expect(await api.get('/seasons/2/leaderboard')).toEqual([]);
  expect(await api.get('/seasons/2/leaderboard/players/a/around?radius=5')).toEqual([]);
  expect(await api.get(`${around}/nobody/around?radius=5`)).toEqual([]);
});

it('refuses a limit and a radius out of range', async () => {
  expect((await api.call('GET', '/seasons/1/leaderboard?limit=0')).status).toBe(400);
  expect((await api.call('GET', `${around}/a/around?radius=101`)).status).toBe(400);
});
