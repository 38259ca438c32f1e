/** One socket's life: HELLO, then windows; its frames are handled one after the other, in the order they came. */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { CloseCode } from '../../proto/close-codes.js';
import { Capability, type ClientFrame, ErrorCode, FrameType, MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';
import { CLOCK_TOLERANCE_SEC } from '../ops/player-tokens.js';
import { BadFrameError, readClientFrame, type UnknownFrame } from '../wire/client-frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { FlushSchedule, FlushTarget } from './flush-schedule.js';
import { FrameBudget } from './frame-budget.js';
import { Outbox } from './outbox.js';
import type { Socket, SocketListener } from './socket.js';
import { type FriendLists, type HubDirectory, MAX_TOPICS, Subscriptions } from './subscriptions.js';
import type { SessionWindow } from './windows.js';

/** A client that hears nothing for this long plus 10 s reconnects; so something is sent to quiet sockets. */
const HEARTBEAT_MS = 25_000;
const HELLO_DEADLINE_MS = 5_000;
/** A socket that takes nothing for so long is closed: its reader gets the present state when it comes back. */
const BLOCKED_LIMIT_MS = 30_000;
/** A token counts as long here as at HELLO, or one would be greeted and thrown out in a loop. */
const EXPIRY_GRACE_MS = CLOCK_TOLERANCE_SEC * 1_000;
/** Over how long sessions spread what nobody's own result caused: moves by others, a replaced history. */
const SPREAD_MS = 200;
/** Frames that may wait for their predecessors to be handled. */
const MAX_WAITING_FRAMES = 64;

const PING = encodeFrame([FrameType.ping]);

export interface TokenVerifier {
  /** Throws where the token is forged, expired or speaks for nobody. */
  verify(token: string): Promise<{ readonly playerId: string; readonly expiresAt: number | null }>;
}

export interface SessionCounters {
  sent(bytes: number): void;
  received(frameType: number): void;
  conflated(): void;
  resynced(why: number): void;
  topic(kind: string, step: 1 | -1): void;
  /** From a result's broker time to its frame on the way, milliseconds. */
  pushed(delayMs: number): void;
}

export interface SessionOptions {
  readonly socket: Socket;
  readonly tokens: TokenVerifier;
  readonly directory: HubDirectory;
  readonly friends: FriendLists;
  readonly schedule: FlushSchedule;
  readonly counters: SessionCounters;
  readonly logger: Logger;
  readonly build: string;
}

type State = 'waiting' | 'greeted' | 'closed';

export class Session implements SocketListener, FlushTarget {
  lastFlushAt = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  readonly ticks = 1;
  private readonly sessionId = randomUUID();
  private readonly openedAt = performance.now();
  private readonly outbox: Outbox;
  private readonly subscriptions: Subscriptions;
  private readonly budget = new FrameBudget();
  private readonly phaseMs = Math.random() * SPREAD_MS;
  private state: State = 'waiting';
  private playerId: string | null = null;
  private expiresAt: number | null = null;
  private work: Promise<void> = Promise.resolve();
  private waitingFrames = 0;
  /** Broker time of the newest change that waits to be sent. */
  private newestAt: number | null = null;

  constructor(private readonly options: SessionOptions) {
    const { socket, directory, friends, counters } = options;
    this.outbox = new Outbox(socket, counters, () => this.end(CloseCode.tooSlow, 'too slow'));
    this.subscriptions = new Subscriptions({
      directory,
      friends,
      outbox: this.outbox,
      playerId: () => this.playerId,
      onPending: (window, newestAt) => this.pending(window, newestAt),
      countTopic: (kind, step) => counters.topic(kind, step),
      onDefect: (error) => this.logDefect(error),
    });
  }

  received(bytes: Uint8Array): void {
    if (this.state === 'closed') return;
    if (!this.takeBudget()) return;
    try {
      // Decoded here: the bytes are gone after this call.
      const frame = readClientFrame(bytes);
      this.options.counters.received(typeof frame[0] === 'number' ? frame[0] : -1);
      this.enqueue(frame);
    } catch (error) {
      if (!(error instanceof BadFrameError)) throw error;
      this.end(error.closeCode, error.reason);
    }
  }

  drained(): void {
    if (this.state === 'closed') return;
    this.outbox.drained();
    this.countPushed();
  }

  closed(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.subscriptions.closeAll();
  }

  flush(): void {
    if (this.state === 'closed') return;
    this.outbox.flush();
    this.countPushed();
  }

  private countPushed(): void {
    if (this.newestAt === null || this.outbox.isBlocked) return;
    this.options.counters.pushed(Date.now() - this.newestAt);
    this.newestAt = null;
  }

  /** Something of ours went wrong in it: the client comes back and gets fresh snapshots. */
  failed(): void {
    this.end(CloseCode.internal, 'internal error');
  }

  /** About once a second: deadlines, and a sign of life to quiet sockets. */
  tick(now: number): void {
    if (this.state === 'closed') return;
    const { blockedSince } = this.outbox;
    if (this.state === 'waiting' && now - this.openedAt > HELLO_DEADLINE_MS) {
      return this.end(CloseCode.helloLate, 'no HELLO within 5 s');
    }
    if (blockedSince !== null && now - blockedSince > BLOCKED_LIMIT_MS) {
      return this.end(CloseCode.tooSlow, 'too slow: nothing was read for 30 s');
    }
    if (this.expiresAt !== null && Date.now() > this.expiresAt + EXPIRY_GRACE_MS) {
      return this.end(CloseCode.unauthorized, 'the token has expired');
    }
    if (this.state === 'greeted' && now - this.outbox.lastSentAt > HEARTBEAT_MS) this.reply(PING);
  }

  end(code: CloseCode, reason: string): void {
    if (this.state === 'closed') return;
    this.closed();
    this.options.socket.close(code, reason);
  }

  private pending(window: SessionWindow, newestAt: number | null): void {
    this.outbox.markDirty(window);
    if (newestAt !== null && newestAt > (this.newestAt ?? 0)) this.newestAt = newestAt;
    if (this.outbox.isBlocked) return;
    // What others cause concerns everybody at the same moment: each session takes it at a phase of its own.
    this.options.schedule.mark(this, newestAt === null ? this.phaseMs : 0);
  }

  /** Over the budget: refused politely first, then closed. */
  private takeBudget(): boolean {
    switch (this.budget.take(performance.now())) {
      case 'within':
        return true;
      case 'over':
        this.reply(encodeFrame([FrameType.error, 0, ErrorCode.slowDown, 'too many frames', this.budget.windowMs]));
        return false;
      case 'far-over':
        this.end(CloseCode.tooMany, 'too many frames');
        return false;
    }
  }

  /** One at a time: a SUBSCRIBE that arrives while HELLO's token is checked must find the player known. */
  private enqueue(frame: ClientFrame | UnknownFrame): void {
    this.waitingFrames += 1;
    if (this.waitingFrames > MAX_WAITING_FRAMES) return this.end(CloseCode.tooMany, 'too many frames at once');
    this.work = this.work
      .then(async () => {
        this.waitingFrames -= 1;
        if (this.state !== 'closed') await this.handle(frame);
        this.flush();
      })
      .catch((error: unknown) => {
        this.logDefect(error);
        this.failed();
      });
  }

  private async handle(frame: ClientFrame | UnknownFrame): Promise<void> {
    if (frame[0] === FrameType.hello) return await this.greet(frame[1], frame[2], frame[3]);
    if (this.state === 'waiting') return this.end(CloseCode.unauthorized, 'HELLO comes first');
    switch (frame[0]) {
      case FrameType.ping:
        return this.outbox.push(encodeFrame([FrameType.pong, frame[1] ?? null, Date.now()]));
      case FrameType.subscribe:
        return await this.subscriptions.subscribe(frame);
      case FrameType.unsubscribe:
        return this.subscriptions.unsubscribe(frame[1], frame[2]);
      case FrameType.resync:
        if (this.subscriptions.resync(frame[1])) this.options.counters.resynced(frame[4]);
        return;
      case 'unknown':
        return this.outbox.push(
          encodeFrame([FrameType.error, 0, ErrorCode.badFrame, `frame type ${frame[1]} is not known`, null]),
        );
      default:
        return frame satisfies never;
    }
  }

  private async greet(token: string | null, client: string, caps: number): Promise<void> {
    if (this.state === 'greeted') return this.end(CloseCode.badFrame, 'a second HELLO');
    if (token !== null) {
      const holder = await this.options.tokens.verify(token).catch(() => null);
      if (holder === null) return this.end(CloseCode.unauthorized, 'the token is not valid');
      this.playerId = holder.playerId;
      this.expiresAt = holder.expiresAt;
    }
    // The token was checked meanwhile; the socket may have gone.
    if (this.isClosed()) return;
    this.state = 'greeted';
    this.options.logger.debug({ sessionId: this.sessionId, client: client.slice(0, 64) }, 'session.greeted');
    this.outbox.canBatch = (caps & Capability.batch) !== 0;
    this.outbox.push(
      encodeFrame([
        FrameType.welcome,
        this.sessionId,
        Date.now(),
        HEARTBEAT_MS,
        this.expiresAt === null ? null : Math.max(this.expiresAt - Date.now(), 0),
        this.playerId,
        [MAX_TOPICS, MAX_CLIENT_FRAME_BYTES, this.budget.frames],
        caps & (Capability.batch | Capability.delta),
        this.options.build,
      ]),
    );
  }

  private logDefect(error: unknown): void {
    this.options.logger.error({ err: error, sessionId: this.sessionId }, 'session.defect');
  }

  private isClosed(): boolean {
    return this.state === 'closed';
  }

  private reply(frame: Uint8Array): void {
    this.outbox.push(frame);
    this.outbox.flush();
  }
}
