/** The friend graph: read and changed by the player himself, or by game servers for everybody. */

import { RankcastError } from '../domain/errors.js';
import type { Access } from './access.js';
import { emptyResponse, type HttpRequest, jsonResponse, PRIVATE, type Route } from './http.js';
import { Problem } from './problem.js';
import { checkPlayerId } from './query.js';
import type { Friends } from './stores.js';

export interface FriendRoutesOptions {
  readonly friends: Friends;
  readonly access: Access;
}

/** A change answers 204, also where there was nothing to change. */
export function friendRoutes({ friends, access }: FriendRoutesOptions): readonly Route[] {
  const pattern = '/v1/players/:playerId/friends';
  const change = async (request: HttpRequest, apply: (playerId: string, friendId: string) => Promise<unknown>) => {
    const [playerId, friendId] = [requestedId(request, 0), requestedId(request, 1)];
    await access.requirePlayerOrGameServer(request, playerId);
    await apply(playerId, friendId).catch(rethrowRefusal);
    return emptyResponse(204);
  };
  return [
    {
      method: 'GET',
      pattern,
      handle: async (request) => {
        const playerId = requestedId(request, 0);
        await access.requirePlayerOrGameServer(request, playerId);
        return jsonResponse(200, { playerId, friends: await friends.friendsOf(playerId) }, PRIVATE);
      },
    },
    {
      method: 'PUT',
      pattern: `${pattern}/:friendId`,
      handle: (request) => change(request, (playerId, friendId) => friends.add(playerId, friendId)),
    },
    {
      method: 'DELETE',
      pattern: `${pattern}/:friendId`,
      handle: (request) => change(request, (playerId, friendId) => friends.remove(playerId, friendId)),
    },
  ];
}

function requestedId({ params }: HttpRequest, index: number): string {
  return checkPlayerId(params[index] ?? '');
}

/** A full list may have room later: 409. What can never be stored: 422. Everything else is not the caller's doing. */
function rethrowRefusal(error: unknown): never {
  if (!(error instanceof RankcastError) || error.isRetryable || !('code' in error)) throw error;
  const kind = error.code === 'friend_limit' ? 'conflict' : 'unprocessable';
  throw new Problem(kind, error.message, { members: { reason: error.code } });
}
