/** Who one session is, and until when: HELLO's token, its refresh, its end. */

import { CloseCode } from '../../proto/close-codes.js';
import { ErrorCode } from '../../proto/frames.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { ANONYMOUS } from './player-authenticator.js';
import { type Authenticator, type Handshake, HelloRefusedError, type Principal } from './principal.js';
import { RETRY_AFTER_MS, RefusedError } from './refusal.js';
import type { AdmittedSession, SessionsOfPlayer } from './sessions-of-player.js';

/** The same for all sessions. */
export interface SessionIdentityOptions {
  readonly authenticator: Authenticator;
  readonly sessionsOfPlayer: SessionsOfPlayer;
  /** From the end of the token to the end of the session. */
  readonly graceMs: number;
}

/** The session whose identity it is. */
export interface IdentifiedSession {
  /** The token has ended: nothing more for private windows. */
  silence(): void;
  end(code: CloseCode, reason: string): void;
}

/** An end that is nearer gets a timer, a later one is seen by `look`, which is called about once a second. */
const TIMER_HORIZON_MS = 3_000;
/** `expiresInMs` is a `u`. */
const MAX_U = 2 ** 32 - 1;
/** Once HELLO is answered, what came with the socket has done its part: later tokens come in frames. */
const USED_HANDSHAKE: Handshake = { address: '', token: null, ticket: null };

export class SessionIdentity implements AdmittedSession {
  principal: Principal = ANONYMOUS;
  /** Whether the token has ended. */
  isSilent = false;
  private timer: NodeJS.Timeout | null = null;
  private isClosed = false;
  private unwatchKey: (() => void) | null = null;

  constructor(
    private readonly options: SessionIdentityOptions,
    private readonly session: IdentifiedSession,
    private handshake: Handshake,
  ) {}

  /** By HELLO's token or what came with the handshake. Throws what `Authenticator` does; changes nothing yet. */
  async authenticate(token: string | null): Promise<Principal> {
    return await this.options.authenticator.authenticate(token, this.handshake);
  }

  /** The session is this one from now on, unless it is closed; may end at once, where its key was revoked or its token has just ended. */
  assume(principal: Principal): void {
    const { sessionsOfPlayer, authenticator } = this.options;
    this.handshake = USED_HANDSHAKE;
    this.take(principal);
    if (this.isClosed) return;
    sessionsOfPlayer.admit(principal, this);
    if (principal.keyId === null) return;
    const unwatch = authenticator.watchKey(principal.keyId, () =>
      this.session.end(CloseCode.revoked, 'the key was revoked'),
    );
    // A key that was revoked already has ended the session before there was anything to give back.
    if (this.isClosed) unwatch();
    else this.unwatchKey = unwatch;
  }

  replaced(): void {
    this.session.end(CloseCode.replaced, 'too many sessions: a newer one came');
  }

  /** Another token of the same player. Throws `RefusedError`, and then nothing has changed. */
  async refresh(token: string): Promise<void> {
    const { kind, playerId } = this.principal;
    if (kind !== 'player') throw new RefusedError(ErrorCode.forbidden, 'this session has no token of a player');
    const fresh = await this.authenticateAgain(token);
    if (fresh.kind !== 'player' || fresh.playerId !== playerId) {
      throw new RefusedError(ErrorCode.forbidden, 'the token is that of another player');
    }
    this.take(fresh);
  }

  /** For WELCOME and REFRESHED. */
  get expiresInMs(): number | null {
    const { expiresAt } = this.principal;
    return expiresAt === null ? null : Math.min(Math.max(Math.floor(expiresAt - Date.now()), 0), MAX_U);
  }

  /** Keeps to the end of the token; to be called about once a second. */
  look(): void {
    const { expiresAt } = this.principal;
    if (expiresAt === null || this.isClosed) return;
    const { graceMs } = this.options;
    const now = Date.now();
    if (now >= expiresAt + graceMs) return this.session.end(CloseCode.unauthorized, 'the token has expired');
    if (now >= expiresAt && !this.isSilent) {
      this.isSilent = true;
      this.session.silence();
    }
    const waitMs = (this.isSilent ? expiresAt + graceMs : expiresAt) - now;
    if (this.timer !== null || waitMs > TIMER_HORIZON_MS) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.look();
    }, waitMs).unref();
  }

  close(): void {
    this.isClosed = true;
    this.stopTimer();
    this.options.sessionsOfPlayer.leave(this.principal, this);
    this.unwatchKey?.();
    this.unwatchKey = null;
  }

  private take(principal: Principal): void {
    this.principal = principal;
    this.isSilent = false;
    this.stopTimer();
    this.look();
  }

  private async authenticateAgain(token: string): Promise<Principal> {
    try {
      return await this.authenticate(token);
    } catch (error) {
      if (error instanceof HelloRefusedError) {
        const isForbidden = error.closeCode === CloseCode.forbidden;
        throw new RefusedError(isForbidden ? ErrorCode.forbidden : ErrorCode.unauthorized, error.message);
      }
      if (error instanceof StoreUnavailableError) {
        throw new RefusedError(ErrorCode.unavailable, 'the token cannot be checked now', RETRY_AFTER_MS);
      }
      throw error;
    }
  }

  private stopTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}
