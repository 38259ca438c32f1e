/** Who a session is, and what it may watch: decided at HELLO, at REFRESH, and when a key is revoked. */

import type { CloseCode } from '../../proto/close-codes.js';
import type { WindowKind } from '../../proto/frames.js';

export interface Principal {
  readonly kind: 'anonymous' | 'player' | 'key';
  /** Whose own windows it may watch; `null`: nobody's. */
  readonly playerId: string | null;
  /** Of an overlay key, else `null`. */
  readonly keyId: string | null;
  /** When its private windows fall silent, epoch milliseconds; `null`: never. */
  readonly expiresAt: number | null;
  /** Of what is not a player's own: anonymous sessions may watch the top, keys what they are bound to. */
  mayWatch(boardId: string, kind: WindowKind): boolean;
}

/** What the handshake of a socket carried beside its frames. */
export interface Handshake {
  /** Of the client, believed proxies looked through. */
  readonly address: string;
  /** From `Authorization: Bearer` or the bearer subprotocol; HELLO's own token comes first. */
  readonly token: string | null;
  /** From `?ticket=`: counts once, where there is no token. */
  readonly ticket: string | null;
}

/** Throws `HelloRefusedError`, or `StoreUnavailableError` where it cannot be known now. */
export interface Authenticator {
  /** `token`: HELLO's. Nothing at all is anonymous, where that is allowed. */
  authenticate(token: string | null, handshake: Handshake): Promise<Principal>;
  /** Calls `onRevoked`, at most once and within a second of it, when the key is revoked, until the answered function is called. */
  watchKey(keyId: string, onRevoked: () => void): () => void;
}

/** Ends the socket that sent HELLO; `message` is the close reason: at most 123 bytes, nothing of the token in it. */
export class HelloRefusedError extends Error {
  readonly isRetryable = false;
  constructor(
    readonly closeCode: typeof CloseCode.unauthorized | typeof CloseCode.forbidden | typeof CloseCode.revoked,
    message: string,
  ) {
    super(message);
  }
}
