/** Sessions of players and of nobody: the token of HELLO, or of the handshake where HELLO has none. */

import { CloseCode } from '../../proto/close-codes.js';
import { WindowKind } from '../../proto/frames.js';
import { InvalidTokenError } from '../ops/player-tokens.js';
import { type Authenticator, type Handshake, HelloRefusedError, type Principal } from './principal.js';

export interface TokenVerifier {
  /** Throws `InvalidTokenError`, or `StoreUnavailableError` where it cannot be checked now. */
  verify(token: string): Promise<{ readonly playerId: string; readonly expiresAt: number | null }>;
}

export interface PlayerAuthenticatorOptions {
  readonly tokens: TokenVerifier;
  readonly isAnonymousAllowed: boolean;
}

/** May watch what is open to all. */
export const ANONYMOUS: Principal = {
  kind: 'anonymous',
  playerId: null,
  keyId: null,
  expiresAt: null,
  mayWatch: (_boardId, kind) => kind === WindowKind.top,
};

const ANYTHING = (): boolean => true;

/** Watches as this player. */
export function playerPrincipal(playerId: string, expiresAt: number | null): Principal {
  return { kind: 'player', playerId, keyId: null, expiresAt, mayWatch: ANYTHING };
}

export class PlayerAuthenticator implements Authenticator {
  constructor(private readonly options: PlayerAuthenticatorOptions) {}

  async authenticate(token: string | null, handshake: Handshake): Promise<Principal> {
    const { tokens, isAnonymousAllowed } = this.options;
    const given = token ?? handshake.token;
    if (given === null) {
      if (isAnonymousAllowed) return ANONYMOUS;
      throw new HelloRefusedError(CloseCode.unauthorized, 'a token is needed here');
    }
    try {
      const { playerId, expiresAt } = await tokens.verify(given);
      return playerPrincipal(playerId, expiresAt);
    } catch (error) {
      if (error instanceof InvalidTokenError) throw new HelloRefusedError(CloseCode.unauthorized, error.message);
      throw error;
    }
  }

  /** There are no keys here. */
  watchKey(): () => void {
    return () => {};
  }
}
