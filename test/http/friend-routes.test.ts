import { expect, it } from 'vitest';
import { RankcastError } from '../../src/domain/errors.js';
import { FakeFriends, INGEST_TOKEN, parseBody, TestApi, tokens } from './call-api.js';

const url = '/v1/players/a/friends';

it('adds, lists and removes with the own token, and says so again for a repeat', async () => {
  const api = new TestApi();
  const token = await tokens.sign('a', 60);
  for (const _ of [1, 2]) expect(await api.call('PUT', `${url}/b`, { token })).toMatchObject({ status: 204, body: '' });
  expect(await api.get(url, { token })).toEqual({ playerId: 'a', friends: ['b'] });
  for (const _ of [1, 2]) expect((await api.call('DELETE', `${url}/b`, { token })).status).toBe(204);
  expect(await api.get(url, { token })).toEqual({ playerId: 'a', friends: [] });
});

it('lets game servers in with the ingest token', async () => {
  const api = new TestApi();
  expect((await api.call('PUT', `${url}/b`, { token: INGEST_TOKEN })).status).toBe(204);
  expect(await api.friends.friendsOf('b')).toEqual(['a']);
});

it('keeps everybody else out', async () => {
  const api = new TestApi();
  for (const method of ['PUT', 'DELETE']) {
    expect((await api.call(method, `${url}/b`)).status).toBe(401);
    expect((await api.call(method, `${url}/b`, { token: await tokens.sign('b', 60) })).status).toBe(403);
  }
  expect((await api.call('GET', url)).status).toBe(401);
  const closed = new TestApi({ ingestToken: null });
  expect((await closed.call('PUT', `${url}/b`, { token: INGEST_TOKEN })).status).toBe(401);
  expect(api.friends.pairs.size).toBe(0);
});

it('refuses a token that is over by more than the tolerance', async () => {
  const call = async (lifetimeSec: number) => {
    const token = await tokens.sign('a', lifetimeSec);
    return (await new TestApi().call('GET', url, { token })).status;
  };
  expect(await call(-20)).toBe(200);
  expect(await call(-26)).toBe(401);
});

it('answers 409 for a full list and 422 for a friendship that can never be', async () => {
  class OwnFriendError extends RankcastError {
    readonly isRetryable = false;
    readonly code = 'own_friend';
  }
  const token = await tokens.sign('a', 60);
  const full = await new TestApi().call('PUT', `${url}/one-too-many`, { token });
  expect(full.status).toBe(409);
  expect(parseBody(full)).toMatchObject({ code: 409, reason: 'friend_limit' });
  const friends = new FakeFriends();
  friends.add = () => Promise.reject(new OwnFriendError('a player is not his own friend'));
  const own = await new TestApi({ friends }).call('PUT', `${url}/a`, { token });
  expect(own.status).toBe(422);
  expect(parseBody(own)).toMatchObject({ reason: 'own_friend', detail: 'a player is not his own friend' });
});

it('decodes ids once and holds them to the same rules as elsewhere (A06)', async () => {
  const api = new TestApi();
  expect((await api.call('PUT', `${url}/x%252Fy+z`, { token: INGEST_TOKEN })).status).toBe(204);
  expect(await api.friends.friendsOf('a')).toEqual(['x%2Fy+z']);
  for (const id of ['%E0%A4%A', '%00', 'x'.repeat(65)]) {
    expect((await api.call('PUT', `${url}/${id}`, { token: INGEST_TOKEN })).status).toBe(400);
  }
});
