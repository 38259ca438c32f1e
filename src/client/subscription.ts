/** One subscription: asks, follows SUBSCRIBED, SNAPSHOT, DELTA and RANK, and asks again where something is missing. */

import {
  type BoardDescription,
  type ClientFrame,
  FrameType,
  ResyncWhy,
  type SubscribedFrame,
  SubscribeStart,
  type WindowKind,
} from '../../proto/frames.js';
import { Backoff } from './backoff.js';
import type { Clock } from './clock.js';
import { isRetryableCode, LeaderboardError } from './errors.js';
import type { ShownRow, WindowFold, WindowFrame } from './window.js';

/** How long a SUBSCRIBE or a RESYNC may stay without an answer; a server that was asked too often drops them. */
const ANSWER_TIMEOUT_MS = 5_000;
/** Where the server says "later" without saying when. */
const DEFAULT_RETRY_MS = 1_000;

export interface WindowRequest {
  readonly kind: WindowKind;
  readonly boardId: string;
  /** `null` is the server's default. */
  readonly args: readonly (number | boolean | null)[];
}

/** What a subscription needs of its client. */
export interface SubscriptionLink {
  readonly clock: Clock;
  readonly random: () => number;
  send(frame: ClientFrame): void;
  /** A number that no request of this client had before. */
  nextReqId(): number;
  /** Whether another subscription of this client lives on the same topic. */
  isShared(topic: number): boolean;
}

export interface SubscriptionListener {
  /** The window changed; `shown` is null unless `wantsRows`. */
  applied(frame: WindowFrame, shown: readonly ShownRow[] | null): void;
  readonly wantsRows: boolean;
  staleChanged(): void;
  described(board: BoardDescription): void;
  /** The server said no; where `error.retryable`, another try is under way. */
  failed(error: LeaderboardError): void;
}

/** `waiting`: not connected, or until the next try. `snapshot`: only a snapshot (for `me`, a RANK) may come next. */
export type SubscriptionStatus = 'waiting' | 'subscribing' | 'snapshot' | 'live' | 'refused' | 'ended';

export class Subscription {
  status: SubscriptionStatus = 'waiting';
  /** The server's number for the window, on this connection. */
  topic: number | null = null;
  /** Requests sent on this connection: a late answer to the first of two is an answer. */
  private readonly asked = new Set<number>();
  private stopTimer: () => void = () => undefined;
  private readonly request: WindowRequest;
  private readonly fold: WindowFold<unknown>;
  private readonly link: SubscriptionLink;
  private readonly listener: SubscriptionListener;
  private readonly backoff: Backoff;

  constructor(
    request: WindowRequest,
    fold: WindowFold<unknown>,
    link: SubscriptionLink,
    listener: SubscriptionListener,
  ) {
    this.request = request;
    this.fold = fold;
    this.link = link;
    this.listener = listener;
    this.backoff = new Backoff(link.random);
  }

  isAnsweredBy(reqId: number): boolean {
    return this.asked.has(reqId);
  }

  /**
   * Subscribes on a connection that is live, with the position known so far: the server may answer "you are current".
   * Where the window is subscribed already this begins it anew, so it is also what to do when an answer stays away.
   */
  start(): void {
    const { kind, boardId, args } = this.request;
    const position = this.fold.position;
    this.setStatus('subscribing');
    const reqId = this.link.nextReqId();
    this.asked.add(reqId);
    this.link.send([FrameType.subscribe, reqId, kind, boardId, args, position?.epoch ?? null, position?.seq ?? null]);
    this.startAgainIn(ANSWER_TIMEOUT_MS);
  }

  /** The connection is gone. What is shown stays; its position is what the next SUBSCRIBE names. */
  suspend(): void {
    this.stopTimer();
    this.asked.clear();
    this.topic = null;
    this.setStatus('waiting');
  }

  end(): void {
    this.stopTimer();
    const topic = this.topic;
    this.topic = null;
    this.setStatus('ended');
    if (topic === null || this.link.isShared(topic)) return;
    this.link.send([FrameType.unsubscribe, this.link.nextReqId(), topic]);
  }

  subscribed(frame: SubscribedFrame): void {
    if (this.status !== 'subscribing') return;
    const [, , topic, start, epoch, seq, board] = frame;
    this.topic = topic;
    this.backoff.reset();
    this.listener.described(board);
    const isCurrent = start === SubscribeStart.current && this.fold.position?.epoch === epoch;
    if (!isCurrent) return this.awaitSnapshot();
    this.stopTimer();
    this.fold.resume(seq);
    this.setStatus('live');
  }

  /** A SNAPSHOT, DELTA or RANK of this topic. */
  take(frame: WindowFrame): void {
    if (this.status !== 'live' && (this.status !== 'snapshot' || frame[0] === FrameType.delta)) return;
    const shown: ShownRow[] | null = this.listener.wantsRows ? [] : null;
    const answer = this.fold.apply(frame, shown);
    if (answer === 'gap') return this.resync();
    if (answer === 'dropped') return;
    if (answer === 'partial') {
      // The rest is on its way: it gets the whole time once more.
      if (this.status === 'snapshot') this.startAgainIn(ANSWER_TIMEOUT_MS);
      return;
    }
    if (this.status === 'live') return this.listener.applied(frame, shown);
    this.stopTimer();
    this.status = 'live';
    this.listener.applied(frame, shown);
  }

  /** ERROR for our request, or the server's own UNSUBSCRIBED. */
  refused(code: number, message: string, retryAfterMs: number | null): void {
    this.stopTimer();
    this.topic = null;
    const retryable = isRetryableCode(code);
    this.setStatus(retryable ? 'waiting' : 'refused');
    if (retryable) this.startAgainIn(Math.max(retryAfterMs ?? DEFAULT_RETRY_MS, this.backoff.next()));
    this.listener.failed(new LeaderboardError(code, message, { retryable, retryAfterMs }));
  }

  private resync(): void {
    const position = this.fold.position;
    if (this.topic === null) return;
    this.link.send([FrameType.resync, this.topic, position?.epoch ?? 0, position?.seq ?? 0, ResyncWhy.gap]);
    this.awaitSnapshot();
  }

  private awaitSnapshot(): void {
    this.fold.forget();
    this.setStatus('snapshot');
    this.startAgainIn(ANSWER_TIMEOUT_MS);
  }

  private startAgainIn(delayMs: number): void {
    this.stopTimer();
    this.stopTimer = this.link.clock.after(delayMs, () => this.start());
  }

  private setStatus(status: SubscriptionStatus): void {
    const wasLive = this.status === 'live';
    this.status = status;
    if (wasLive !== (status === 'live')) this.listener.staleChanged();
  }
}
