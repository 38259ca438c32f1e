/** One socket's life: HELLO, then windows; its frames are handled one after the other, in the order they came. */

import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { CloseCode } from '../../proto/close-codes.js';
import { Capability, type ClientFrame, ErrorCode, FrameType, MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { BadFrameError, type Decode, readClientFrame, type UnknownFrame } from '../wire/client-frames.js';
import { encodeFrame } from '../wire/encode.js';
import type { FlushSchedule, FlushTarget } from './flush-schedule.js';
import { FrameBudget, type FrameLimits } from './frame-budget.js';
import type { FriendLists } from './friend-lists.js';
import { Outbox, type OutboxCounters } from './outbox.js';
import { type Authenticator, type Handshake, HelloRefusedError, type Principal } from './principal.js';
import { type IdentifiedSession, SessionIdentity } from './session-identity.js';
import type { SessionsOfPlayer } from './sessions-of-player.js';
import type { Socket, SocketListener } from './socket.js';
import { type HubDirectory, type SubscribedSession, Subscriptions } from './subscriptions.js';
import { type MovedSession, WaitingMoves } from './waiting-moves.js';
import type { MovingWindow, SessionWindow } from './windows.js';

/** A client that hears nothing for this long plus 10 s reconnects; so something is sent to quiet sockets. */
const HEARTBEAT_MS = 25_000;
const HELLO_DEADLINE_MS = 5_000;
/** A socket that takes nothing for so long is closed: its reader gets the present state when it comes back. */
const BLOCKED_LIMIT_MS = 30_000;
/** Over how long sessions spread what nobody's own result caused: moves by others, a replaced history. */
const SPREAD_MS = 240;
/** Somebody with a hundred busy friends has two changes within a tick now and then, and is not to wait for that. */
const BURST = 4;
/** Frames that may wait for their predecessors to be handled, where the budget does not let more of them come at once. */
const MIN_WAITING_FRAMES = 64;

const PING = encodeFrame([FrameType.ping]);

/** What a client is told in WELCOME; see `Limits` of the configuration. */
export interface SessionLimits extends FrameLimits {
  readonly topics: number;
}

export interface SessionCounters extends OutboxCounters {
  received(frameType: number): void;
  resynced(why: number): void;
  topic(kind: string, step: 1 | -1): void;
  /** From a result's broker time to its frame on the way, milliseconds. */
  pushed(delayMs: number): void;
}

/** The same for all sessions of a gateway. */
export interface SessionOptions {
  readonly authenticator: Authenticator;
  readonly sessionsOfPlayer: SessionsOfPlayer;
  readonly limits: SessionLimits;
  /** From the end of a token to the close of its session. */
  readonly graceMs: number;
  readonly directory: HubDirectory;
  readonly friends: FriendLists;
  readonly schedule: FlushSchedule;
  readonly counters: SessionCounters;
  readonly logger: Logger;
  readonly build: string;
  /** The socket of the session has closed. */
  readonly onClosed: (session: Session, code: number) => void;
}

/** `checking`: HELLO has come. */
type State = 'waiting' | 'checking' | 'greeted' | 'closed';

export class Session implements SocketListener, FlushTarget, SubscribedSession, MovedSession, IdentifiedSession {
  spentUntil = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  readonly outbox: Outbox;
  private readonly sessionId = randomUUID();
  /** The last tick before which something was sent; until HELLO when the socket was opened. */
  private lastActiveAt = performance.now();
  private readonly subscriptions = new Subscriptions(this);
  private readonly moves = new WaitingMoves(this);
  private readonly identity: SessionIdentity;
  private readonly budget: FrameBudget;
  private readonly phaseMs = Math.floor(Math.random() * SPREAD_MS);
  private state: State = 'waiting';
  /** The last of the frames that are being handled, `null` where there is none. */
  private work: Promise<void> | null = null;
  private waitingFrames = 0;
  /** What the client is told when it is greeted: that this server stops. */
  private goaway: Uint8Array | null = null;
  /** Broker time of the newest change that waits to be sent. */
  private newestAt: number | null = null;

  constructor(
    private readonly options: SessionOptions,
    private readonly socket: Socket,
    handshake: Handshake,
  ) {
    this.budget = new FrameBudget(options.limits);
    this.outbox = new Outbox(socket, options.counters, () => this.end(CloseCode.tooSlow, 'too slow'));
    this.identity = new SessionIdentity(options, this, handshake);
  }

  get ticks(): number {
    return 1;
  }

  get burst(): number {
    return BURST;
  }

  get isPatient(): boolean {
    return false;
  }

  get directory(): HubDirectory {
    return this.options.directory;
  }

  get friends(): FriendLists {
    return this.options.friends;
  }

  get principal(): Principal {
    return this.identity.principal;
  }

  get maxTopics(): number {
    return this.options.limits.topics;
  }

  received(bytes: Uint8Array, decode?: Decode): void {
    if (this.state === 'closed') return;
    // One that is too big is refused as such below, whatever the budget: to send it again later is of no use.
    if (bytes.length <= MAX_CLIENT_FRAME_BYTES && !this.takeBudget(bytes.length)) return;
    try {
      // Decoded here: the bytes are gone after this call.
      const frame = readClientFrame(bytes, decode);
      this.options.counters.received(typeof frame[0] === 'number' ? frame[0] : -1);
      this.enqueue(() => this.handle(frame));
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

  closed(code: number): void {
    this.shut();
    this.options.onClosed(this, code);
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
    if (this.state === 'waiting' && now - this.lastActiveAt > HELLO_DEADLINE_MS) {
      return this.end(CloseCode.helloLate, 'no HELLO within 5 s');
    }
    if (blockedSince !== null && now - blockedSince > BLOCKED_LIMIT_MS) {
      return this.end(CloseCode.tooSlow, 'too slow: nothing was read for 30 s');
    }
    this.identity.look();
    if (this.state !== 'greeted') return;
    this.subscriptions.tick(now);
    if (!this.outbox.hasSent && now - this.lastActiveAt > HEARTBEAT_MS) return this.reply(PING);
    if (this.outbox.hasSent) this.lastActiveAt = now;
    this.outbox.hasSent = false;
  }

  /** Tells the client to go elsewhere, at WELCOME where it has none; `frame`: a GOAWAY, the same for all. Nothing else changes. */
  goAway(frame: Uint8Array): void {
    this.goaway = frame;
    if (this.state === 'greeted') this.reply(frame);
  }

  end(code: CloseCode, reason: string): void {
    if (this.state === 'closed') return;
    this.shut();
    this.socket.close(code, reason);
  }

  private shut(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.identity.close();
    this.subscriptions.closeAll();
  }

  silence(): void {
    this.subscriptions.silence();
  }

  countTopic(kind: string, step: 1 | -1): void {
    this.options.counters.topic(kind, step);
  }

  say(frame: Uint8Array): void {
    this.outbox.push(frame);
    this.options.schedule.mark(this, this.phaseMs);
  }

  pending(window: SessionWindow, newestAt: number | null, spreadMs = SPREAD_MS): void {
    this.outbox.markDirty(window);
    if (newestAt !== null && newestAt > (this.newestAt ?? 0)) this.newestAt = newestAt;
    if (this.outbox.isBlocked) return;
    // What others cause concerns everybody at the same moment: each session takes it at a phase of its own.
    this.options.schedule.mark(this, newestAt === null ? (this.phaseMs * spreadMs) / SPREAD_MS : 0);
  }

  moved(window: MovingWindow): void {
    if (this.outbox.isBlocked) {
      // The drain sends the present state of all.
      window.takeMoves();
      return this.outbox.markDirty(window);
    }
    this.moves.add(window);
    // By far the most calls: the phase is that of all of them.
    if (this.moves.scheduledFor === Number.POSITIVE_INFINITY) this.options.schedule.mark(this.moves, this.phaseMs);
  }

  forget(window: SessionWindow): void {
    this.outbox.forget(window);
    this.moves.forget(window);
  }

  /** Over the budget: refused politely first, then closed. */
  private takeBudget(bytes: number): boolean {
    switch (this.budget.take(performance.now(), bytes)) {
      case 'within':
        return true;
      case 'over':
        this.slowDown();
        return false;
      case 'far-over':
        this.end(CloseCode.tooMany, 'too many frames');
        return false;
    }
  }

  private slowDown(): void {
    const frame = encodeFrame([FrameType.error, 0, ErrorCode.slowDown, 'too many frames', this.budget.windowMs]);
    if (this.state === 'greeted') return this.reply(frame);
    // Nothing comes before WELCOME.
    this.enqueue(() => this.outbox.push(frame));
  }

  /** One at a time: a SUBSCRIBE that arrives while HELLO's token is checked must find the player known. */
  private enqueue(act: () => void | Promise<void>): void {
    this.waitingFrames += 1;
    // The end of one window of the budget and the beginning of the next may be one moment.
    const maxWaitingFrames = Math.max(MIN_WAITING_FRAMES, 2 * this.options.limits.frames);
    if (this.waitingFrames > maxWaitingFrames) return this.end(CloseCode.tooMany, 'too many frames at once');
    const work = (this.work ?? Promise.resolve())
      .then(async () => {
        this.waitingFrames -= 1;
        if (this.state !== 'closed') await act();
        this.flush();
      })
      .catch((error: unknown) => {
        this.logDefect(error);
        this.failed();
      })
      .then(() => {
        // A promise that is kept keeps what it was made of.
        if (this.work === work) this.work = null;
      });
    this.work = work;
  }

  private async handle(frame: ClientFrame | UnknownFrame): Promise<void> {
    if (frame[0] === FrameType.hello) return await this.greet(frame[1], frame[2], frame[3]);
    if (this.state !== 'greeted') return this.end(CloseCode.unauthorized, 'HELLO comes first');
    switch (frame[0]) {
      case FrameType.ping:
        return this.outbox.push(encodeFrame([FrameType.pong, frame[1] ?? null, Date.now()]));
      case FrameType.refresh:
        return await this.refresh(frame[1], frame[2]);
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
    if (this.state !== 'waiting') return this.end(CloseCode.badFrame, 'a second HELLO');
    this.state = 'checking';
    const principal = await this.authenticate(token);
    if (principal === null) return;
    this.identity.assume(principal);
    // The socket may have gone while the token was checked, or who it is has ended at once.
    if (this.isClosed()) return;
    this.state = 'greeted';
    const { logger, limits, build } = this.options;
    logger.debug({ sessionId: this.sessionId, client: client.slice(0, 64) }, 'session.greeted');
    this.outbox.canBatch = (caps & Capability.batch) !== 0;
    this.subscriptions.canSync = (caps & Capability.sync) !== 0;
    this.outbox.push(
      encodeFrame([
        FrameType.welcome,
        this.sessionId,
        Date.now(),
        HEARTBEAT_MS,
        this.identity.expiresInMs,
        principal.playerId,
        [limits.topics, MAX_CLIENT_FRAME_BYTES, limits.frames, limits.bytes],
        caps & (Capability.batch | Capability.delta | Capability.sync),
        build,
      ]),
    );
    if (this.goaway !== null) this.outbox.push(this.goaway);
  }

  /** `null` where the session has been ended for it. */
  private async authenticate(token: string | null): Promise<Principal | null> {
    try {
      return await this.identity.authenticate(token);
    } catch (error) {
      if (error instanceof HelloRefusedError) this.end(error.closeCode, error.message);
      else if (error instanceof StoreUnavailableError) this.end(CloseCode.internal, 'the token cannot be checked now');
      else throw error;
      return null;
    }
  }

  private async refresh(reqId: number, token: string): Promise<void> {
    try {
      await this.identity.refresh(token);
    } catch (error) {
      return this.subscriptions.answerError(reqId, error);
    }
    if (this.isClosed()) return;
    this.outbox.push(encodeFrame([FrameType.refreshed, reqId, this.identity.expiresInMs]));
    if (!this.identity.isSilent) this.subscriptions.speak();
  }

  logDefect(error: unknown): void {
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
