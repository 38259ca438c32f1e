/** Who a session is, from whatever its client came with: a player's token, an overlay key, or a ticket for one of them. */

import { CloseCode } from '../../proto/close-codes.js';
import { WindowKind } from '../../proto/frames.js';
import { type FoundKey, KEY_PREFIX, type KeyWindow, type RedeemedTicket } from '../domain/access-key.js';
import { playerPrincipal } from './player-authenticator.js';
import { type Authenticator, type Handshake, HelloRefusedError, type Principal } from './principal.js';

export interface AccessAuthenticatorOptions {
  /** For players' tokens, and for nothing at all. */
  readonly players: Authenticator;
  readonly keys: {
    /** Keys that are over as well; `null` where there never was one. */
    find(key: string): Promise<FoundKey | null>;
  };
  readonly tickets: {
    /** Once; `null` for one that is unknown, over or used. */
    redeem(ticket: string): Promise<RedeemedTicket | null>;
  };
  readonly watch: {
    watch(keyId: string, onRevoked: () => void): () => void;
  };
}

const WINDOW_NAMES: Readonly<Record<WindowKind, KeyWindow>> = {
  [WindowKind.top]: 'top',
  [WindowKind.around]: 'around',
  [WindowKind.me]: 'me',
  [WindowKind.friends]: 'friends',
  [WindowKind.players]: 'players',
};

export class AccessAuthenticator implements Authenticator {
  constructor(private readonly options: AccessAuthenticatorOptions) {}

  /** In the order of PROTOCOL.md, 3.1: what stands behind a credential is not looked at, whatever that one is worth. */
  async authenticate(token: string | null, handshake: Handshake): Promise<Principal> {
    const { players, keys } = this.options;
    const given = token ?? handshake.token;
    if (given?.startsWith(KEY_PREFIX)) return keyPrincipal(await keys.find(given));
    if (given === null && handshake.ticket !== null) return await this.redeem(handshake.ticket);
    return await players.authenticate(given, handshake);
  }

  watchKey(keyId: string, onRevoked: () => void): () => void {
    return this.options.watch.watch(keyId, onRevoked);
  }

  private async redeem(ticket: string): Promise<Principal> {
    const redeemed = await this.options.tickets.redeem(ticket);
    if (redeemed === null) {
      const reason = 'the ticket is unknown, used or older than 30 s: get a new one';
      throw new HelloRefusedError(CloseCode.unauthorized, reason);
    }
    return redeemed.kind === 'key'
      ? keyPrincipal(redeemed.key)
      : playerPrincipal(redeemed.playerId, redeemed.expiresAt);
  }
}

/** Nothing but what the key is bound to, also of the player who is. */
function keyPrincipal(key: FoundKey | null): Principal {
  if (key === null) throw new HelloRefusedError(CloseCode.unauthorized, 'the key is not one of this server');
  if (key.isOver) {
    const what = key.revokedAt === null ? 'has come to its end' : 'was revoked';
    throw new HelloRefusedError(CloseCode.revoked, `the key ${what}: ask for a new one`);
  }
  const [boards, windows] = [new Set(key.boards), new Set(key.windows)];
  return {
    kind: 'key',
    playerId: key.playerId,
    keyId: key.keyId,
    expiresAt: key.expiresAt,
    mayWatch: (boardId, kind) => boards.has(boardId) && windows.has(WINDOW_NAMES[kind]),
  };
}
