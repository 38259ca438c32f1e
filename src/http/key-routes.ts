/** Overlay keys: made, listed and revoked by game servers. */

import type { BoardSet } from '../domain/board.js';
import type { Access } from './access.js';
import { parseJson } from './body.js';
import { emptyResponse, jsonResponse, type Route } from './http.js';
import { readKeyDraft } from './key-body.js';
import { Problem } from './problem.js';
import type { KeyStore } from './stores.js';

export interface KeyRoutesOptions {
  readonly boardSet: BoardSet;
  readonly access: Access;
  readonly keys: KeyStore;
}

/**
 * `POST /v1/keys` with `{"title", "boards": ["arena"], "windows": ["top"], "playerId"?, "expiresInDays"?}`: 201 with the key's
 * fields and, this once, the `key` itself. `me` and `friends` need a `playerId`; without `expiresInDays` it has no end.
 *
 * `GET /v1/keys`: all there ever were, the newest first, without what they open doors with.
 *
 * `DELETE /v1/keys/{keyId}`: revokes it, for good: 204, also for a repeat. Its sessions end within a second or so, on every server.
 */
export function keyRoutes({ boardSet, access, keys }: KeyRoutesOptions): readonly Route[] {
  const boardIds = boardSet.boards.map((board) => board.boardId);
  return [
    {
      method: 'POST',
      pattern: '/v1/keys',
      handle: async (request) => {
        access.requireGameServer(request);
        const draft = readKeyDraft(parseJson(await request.body()), boardIds);
        return jsonResponse(201, await keys.create(draft));
      },
    },
    {
      method: 'GET',
      pattern: '/v1/keys',
      handle: async (request) => {
        access.requireGameServer(request);
        return jsonResponse(200, { keys: await keys.list() });
      },
    },
    {
      method: 'DELETE',
      pattern: '/v1/keys/:keyId',
      handle: async (request) => {
        access.requireGameServer(request);
        if (await keys.revoke(request.params[0] ?? '')) return emptyResponse(204);
        throw new Problem('not-found', 'there is no such key: GET /v1/keys lists their keyIds');
      },
    },
  ];
}
