/** The sessions of this process and the boards they watch. */

import type { Logger } from 'pino';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, type GoawayReason } from '../../proto/frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { FlushSchedule } from './flush-schedule.js';
import type { FriendLists } from './friend-lists.js';
import type { Authenticator, Handshake } from './principal.js';
import { Session, type SessionCounters, type SessionLimits, type SessionOptions } from './session.js';
import { SessionsOfPlayer } from './sessions-of-player.js';
import type { Socket, SocketListener } from './socket.js';
import type { HubDirectory } from './subscriptions.js';

export interface GatewayCounters extends SessionCounters {
  opened(): void;
  closed(code: number): void;
}

export interface GatewayLimits extends SessionLimits {
  readonly sessionsPerPlayer: number;
}

export interface GatewayOptions {
  readonly authenticator: Authenticator;
  readonly limits: GatewayLimits;
  /** From the end of a token to the close of its session. */
  readonly graceMs: number;
  readonly friends: FriendLists;
  readonly directory: HubDirectory;
  readonly schedule: FlushSchedule;
  readonly counters: GatewayCounters;
  readonly logger: Logger;
  readonly build: string;
}

export interface DrainOptions {
  readonly reason: GoawayReason;
  /** Over how long clients spread their going, milliseconds, at most `graceMs`. */
  readonly spreadMs: number;
  /** How long those that do not go are kept, milliseconds. 0: nobody is told. */
  readonly graceMs: number;
}

const TICK_MS = 1_000;

export class Gateway {
  private readonly sessions = new Set<Session>();
  private readonly sessionOptions: SessionOptions;
  private readonly timer: NodeJS.Timeout;
  /** Told to everybody, also to who is greeted later; `null` while the gateway stays. */
  private goaway: Uint8Array | null = null;
  /** Called when the last session is gone. */
  private onEmpty: () => void = () => {};

  constructor(private readonly options: GatewayOptions) {
    this.sessionOptions = {
      ...options,
      sessionsOfPlayer: new SessionsOfPlayer(options.limits.sessionsPerPlayer),
      onClosed: (session, code) => this.closed(session, code),
    };
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  open(socket: Socket, handshake: Handshake): SocketListener {
    const session = new Session(this.sessionOptions, socket, handshake);
    this.sessions.add(session);
    this.options.counters.opened();
    if (this.goaway !== null) session.goAway(this.goaway);
    return session;
  }

  private closed(session: Session, code: number): void {
    this.sessions.delete(session);
    this.options.counters.closed(code);
    if (this.sessions.size === 0) this.onEmpty();
  }

  /**
   * Sends every client elsewhere while all goes on as before; resolves when they are gone, at the latest after
   * `graceMs`. New connections must come no more. Call `close` then.
   */
  async drain({ reason, spreadMs, graceMs }: DrainOptions): Promise<void> {
    if (graceMs === 0 || this.sessions.size === 0) return;
    const goaway = encodeFrame([FrameType.goaway, reason, Math.min(spreadMs, graceMs), graceMs, null]);
    this.goaway = goaway;
    for (const session of [...this.sessions]) session.goAway(goaway);
    if (this.sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Sends what waits, and tells every client to come back elsewhere or later. */
  close(): void {
    clearInterval(this.timer);
    this.options.schedule.finish();
    for (const session of [...this.sessions]) session.end(CloseCode.draining, 'the server is stopping');
  }

  private tick(): void {
    const now = performance.now();
    for (const session of [...this.sessions]) session.tick(now);
  }
}
