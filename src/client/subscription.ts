/** One window on one connection: asks, follows what comes, and asks again where something is missing or wrong. */

import {
  type BoardDescription,
  type BoardFrame,
  type ClientFrame,
  ErrorCode,
  FrameType,
  ResyncWhy,
  type SubscribedFrame,
  SubscribeStart,
  type SyncFrame,
  WindowKind,
} from '../../proto/frames.js';
import { Backoff } from './backoff.js';
import type { Clock } from './clock.js';
import { isRetryableCode, LeaderboardError } from './errors.js';
import { idParts } from './id-parts.js';
import type { ShownRow, WindowFold, WindowFrame } from './window.js';

/** How long a SUBSCRIBE or a RESYNC may stay without an answer; a server that was asked too often drops them. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Where the server says "later" without saying when. */
const DEFAULT_RETRY_MS = 1_000;

export interface WindowRequest {
  readonly kind: WindowKind;
  readonly boardId: string;
  /** `null` is the server's default. */
  readonly args: readonly (number | boolean | string | null | readonly string[])[];
}

/** What a subscription needs of its session. */
export interface SubscriptionLink {
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether private windows get nothing at the moment. */
  isSilent(): boolean;
  send(frame: ClientFrame): void;
  nextReqId(): number;
  /** The window is asked for whole. */
  resynced(why: number): void;
  /** No frame is for this subscription any more. */
  ended(): void;
  /** Whether a subscription of this session lives on the topic. */
  isShared(topic: number): boolean;
}

/** Told which subscription it is about: while a connection is taken over, a window has two. */
export interface SubscriptionListener<State> {
  /** The window changed; `shown` is null unless `wantsRows`. */
  applied(source: Subscription<State>, frame: WindowFrame, shown: readonly ShownRow[] | null): void;
  readonly wantsRows: boolean;
  staleChanged(source: Subscription<State>): void;
  described(board: BoardDescription): void;
  /** The server said no; where `error.retryable`, another try is under way. */
  failed(source: Subscription<State>, error: LeaderboardError): void;
}

/**
 * `waiting`: until the next try. `snapshot`: only a snapshot (for `me`, a RANK) may come next. `ended`: left, or the
 * connection is gone.
 */
export type SubscriptionStatus = 'waiting' | 'subscribing' | 'snapshot' | 'live' | 'refused' | 'ended';

export class Subscription<State> {
  status: SubscriptionStatus = 'subscribing';
  /** The server's number for the window, on this connection. */
  topic: number | null = null;
  readonly fold: WindowFold<State>;
  /** Requests sent: a late answer to the first of two is an answer. */
  private readonly asked = new Set<number>();
  private needsToken = false;
  private stopTimer: () => void = () => undefined;
  private readonly request: WindowRequest;
  private readonly listener: SubscriptionListener<State>;
  private readonly link: SubscriptionLink;
  private readonly backoff: Backoff;

  constructor(
    request: WindowRequest,
    fold: WindowFold<State>,
    listener: SubscriptionListener<State>,
    link: SubscriptionLink,
  ) {
    this.request = request;
    this.fold = fold;
    this.listener = listener;
    this.link = link;
    this.backoff = new Backoff(link.random);
  }

  /** What is shown may be behind the server. */
  get isStale(): boolean {
    return this.status !== 'live' || (this.isPrivate && this.link.isSilent());
  }

  private get isPrivate(): boolean {
    return this.request.kind !== WindowKind.top;
  }

  isAnsweredBy(reqId: number): boolean {
    return this.asked.has(reqId);
  }

  /**
   * Subscribes with the position known so far: the server may answer "you are current". Where the window is subscribed
   * already this begins it anew, so it is also what to do when an answer stays away.
   */
  start(): void {
    const { kind, boardId, args } = this.request;
    const position = this.fold.position;
    this.needsToken = false;
    this.setStatus('subscribing');
    const reqId = this.link.nextReqId();
    this.asked.add(reqId);
    const [epoch, seq] = [position?.epoch ?? null, position?.seq ?? null];
    const [ids] = args;
    if (kind === WindowKind.players && Array.isArray(ids)) this.askForPlayers(reqId, ids as readonly string[]);
    else this.link.send([FrameType.subscribe, reqId, kind, boardId, args, epoch, seq]);
    this.startAgainIn(ANSWER_TIMEOUT_MS);
  }

  /** In as many frames as it takes; a window of this kind always begins whole. */
  private askForPlayers(reqId: number, ids: readonly string[]): void {
    const { kind, boardId } = this.request;
    const parts = idParts(ids);
    parts.forEach((part, index) => {
      const more = index < parts.length - 1;
      this.link.send([FrameType.subscribe, reqId, kind, boardId, [part], null, null, null, more]);
    });
  }

  /** Without a word to the server: its frames are nobody's from here on. Tells nobody. */
  drop(): void {
    this.stopTimer();
    this.topic = null;
    this.status = 'ended';
    this.link.ended();
  }

  /** The window is not wanted any more. */
  leave(): void {
    const { topic } = this;
    this.drop();
    if (topic === null || this.link.isShared(topic)) return;
    this.link.send([FrameType.unsubscribe, this.link.nextReqId(), topic]);
  }

  subscribed(frame: SubscribedFrame): void {
    if (this.status !== 'subscribing') return;
    const [, , topic, start, epoch, seq, board] = frame;
    this.topic = topic;
    this.backoff.reset();
    this.listener.described(board);
    const { position } = this.fold;
    const goesOn = start === SubscribeStart.current || start === SubscribeStart.deltas;
    if (!goesOn || position === null || position.epoch !== epoch) return this.awaitSnapshot();
    this.stopTimer();
    // The delta that follows goes on from where the window is, not from where the server is.
    this.fold.resume(start === SubscribeStart.deltas ? position.seq : seq);
    this.setStatus('live');
  }

  /** A SNAPSHOT, DELTA or RANK of this topic. */
  take(frame: WindowFrame): void {
    if (this.status !== 'live' && (this.status !== 'snapshot' || frame[0] === FrameType.delta)) return;
    const shown: ShownRow[] | null = this.listener.wantsRows ? [] : null;
    const answer = this.fold.apply(frame, shown);
    if (answer === 'gap') return this.resync(ResyncWhy.gap);
    if (answer === 'dropped') return;
    if (answer === 'partial') {
      // The rest is on its way: it gets the whole time once more.
      if (this.status === 'snapshot') this.startAgainIn(ANSWER_TIMEOUT_MS);
      return;
    }
    if (this.status !== 'live') this.stopTimer();
    this.status = 'live';
    this.listener.applied(this, frame, shown);
  }

  /** The window is to show another list: what is shown stays until its snapshot is there. */
  redescribed([, , , board]: BoardFrame): void {
    if (Array.isArray(board)) this.listener.described(board);
  }

  /** Where the server's window stands, and what it looks like: a last frame that was lost, or a defect, shows here only. */
  sync(frame: SyncFrame): void {
    const [, , epoch, seq, check] = frame;
    const { position, isGathering } = this.fold;
    if (this.status !== 'live' || isGathering) return;
    if (position?.epoch !== epoch || position.seq !== seq) return this.resync(ResyncWhy.gap);
    if (typeof check === 'number' && check !== this.fold.check()) this.resync(ResyncWhy.checksum);
  }

  /** ERROR for our request, or the server's own UNSUBSCRIBED. */
  refused(code: number, message: string, retryAfterMs: number | null): void {
    this.stopTimer();
    this.topic = null;
    this.needsToken = code === ErrorCode.unauthorized;
    const retryable = isRetryableCode(code);
    this.setStatus(retryable ? 'waiting' : 'refused');
    // A listener may have left.
    if (this.status === 'ended') return;
    if (retryable) this.startAgainIn(Math.max(retryAfterMs ?? DEFAULT_RETRY_MS, this.backoff.next()));
    this.listener.failed(this, new LeaderboardError(code, message, { retryable, retryAfterMs }));
  }

  /** A token counts again: what was refused for want of one is asked for. */
  tokenRefreshed(): void {
    if (this.needsToken && this.status === 'refused') this.start();
  }

  silenceChanged(): void {
    if (this.isPrivate && this.status === 'live') this.listener.staleChanged(this);
  }

  private resync(why: number): void {
    const position = this.fold.position;
    if (this.topic === null) return;
    this.link.send([FrameType.resync, this.topic, position?.epoch ?? 0, position?.seq ?? 0, why]);
    this.link.resynced(why);
    this.awaitSnapshot();
  }

  private awaitSnapshot(): void {
    // Forgotten, or a RANK that is lower than what was wrong here would be dropped.
    this.fold.forget();
    this.startAgainIn(ANSWER_TIMEOUT_MS);
    this.setStatus('snapshot');
  }

  private startAgainIn(delayMs: number): void {
    this.stopTimer();
    this.stopTimer = this.link.clock.after(delayMs, () => this.start());
  }

  private setStatus(status: SubscriptionStatus): void {
    const wasLive = this.status === 'live';
    this.status = status;
    if (wasLive !== (status === 'live')) this.listener.staleChanged(this);
  }
}
