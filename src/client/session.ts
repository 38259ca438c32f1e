/** One session: what goes over one welcomed connection, and which of its frames belongs to which window. */

import {
  type ClientFrame,
  ErrorCode,
  type ErrorFrame,
  FrameType,
  type ServerFrame,
  type SubscribedFrame,
  type UnsubscribedFrame,
  type WelcomeFrame,
} from '../../proto/frames.js';
import type { ClientOptions } from './api.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import { isRetryableCode, LeaderboardError } from './errors.js';
import { Subscription, type SubscriptionListener, type WindowRequest } from './subscription.js';
import { TokenRefresh } from './token-refresh.js';
import type { WindowFold } from './window.js';

/** What a session needs of its client. */
export interface SessionLink {
  readonly clock: Clock;
  readonly random: () => number;
  readonly getToken: ClientOptions['getToken'];
  /** A number that no request of this client had before. */
  nextReqId(): number;
  /** A window was not right and is sent whole; `why` as in RESYNC. */
  resynced(why: number): void;
  reportError(error: LeaderboardError): void;
}

export class Session {
  /** The token is over, and private windows get nothing more. */
  isSilent = false;
  private readonly subscriptions = new Set<Subscription<unknown>>();
  /** UNSUBSCRIBEs without an answer. */
  private readonly leaving = new Set<number>();
  private readonly connection: Connection;
  private readonly link: SessionLink;
  private readonly refresh: TokenRefresh;

  constructor(connection: Connection, link: SessionLink) {
    this.connection = connection;
    this.link = link;
    const { clock, random, getToken } = link;
    this.refresh = new TokenRefresh(connection.token, {
      clock,
      random,
      getToken,
      nextReqId: () => link.nextReqId(),
      send: (frame) => this.send(frame),
      silenced: () => this.setSilent(true),
      refreshed: () => this.refreshed(),
      failed: (error) => link.reportError(error),
    });
  }

  start(welcome: WelcomeFrame): void {
    this.refresh.start(welcome[4] ?? null);
  }

  /** Nothing more comes. What the windows show is theirs. */
  end(): void {
    this.refresh.stop();
    for (const subscription of [...this.subscriptions]) subscription.drop();
  }

  /** Asks for the window from the position of `fold` on; the answers go to `listener`. */
  subscribe<State>(request: WindowRequest, fold: WindowFold<State>, listener: SubscriptionListener<State>) {
    const { clock, random } = this.link;
    const subscription: Subscription<State> = new Subscription(request, fold, listener, {
      clock,
      random,
      isSilent: () => this.isSilent,
      send: (frame) => this.send(frame),
      nextReqId: () => this.link.nextReqId(),
      resynced: (why) => this.link.resynced(why),
      ended: () => void this.subscriptions.delete(subscription),
      isShared: (topic) => this.subscriptionsOf(topic).length > 0,
    });
    this.subscriptions.add(subscription);
    subscription.start();
    return subscription;
  }

  receive(frame: ServerFrame): void {
    if (this.refresh.take(frame)) return;
    switch (frame[0]) {
      case FrameType.snapshot:
      case FrameType.delta:
      case FrameType.rank:
        for (const subscription of this.subscriptionsOf(frame[1])) subscription.take(frame);
        return;
      case FrameType.sync:
        for (const subscription of this.subscriptionsOf(frame[1])) subscription.sync(frame);
        return;
      case FrameType.board:
        for (const subscription of this.subscriptionsOf(frame[1])) subscription.redescribed(frame);
        return;
      case FrameType.subscribed:
        return this.subscribed(frame);
      case FrameType.unsubscribed:
        return this.unsubscribed(frame);
      case FrameType.error:
        return this.refused(frame);
      default:
        // PING and PONG: that they came is all they say.
        return;
    }
  }

  private subscribed(frame: SubscribedFrame): void {
    const [, reqId, topic] = frame;
    const subscription = this.subscriptionAsking(reqId);
    if (subscription !== undefined) subscription.subscribed(frame);
    // Left while the answer was on its way.
    else if (this.subscriptionsOf(topic).length === 0) {
      this.send([FrameType.unsubscribe, this.link.nextReqId(), topic]);
    }
  }

  private unsubscribed(frame: UnsubscribedFrame): void {
    const [, reqId, topic, code, message] = frame;
    this.leaving.delete(reqId);
    for (const subscription of this.subscriptionsOf(topic)) {
      if (reqId === 0) subscription.refused(code, message, 0);
      // Our own UNSUBSCRIBE, sent for a window that is gone, overtook one that came to the same topic since.
      else subscription.start();
    }
  }

  private refused(frame: ErrorFrame): void {
    const [, reqId, code, message, retryAfterMs] = frame;
    // What two leave in one moment the second finds gone, and that is what he wants.
    if (this.leaving.delete(reqId) && code === ErrorCode.notFound) return;
    const subscription = this.subscriptionAsking(reqId);
    if (subscription?.status === 'subscribing') subscription.refused(code, message, retryAfterMs ?? null);
    else this.link.reportError(new LeaderboardError(code, message, { retryable: isRetryableCode(code), retryAfterMs }));
  }

  private refreshed(): void {
    this.setSilent(false);
    for (const subscription of [...this.subscriptions]) subscription.tokenRefreshed();
  }

  private setSilent(isSilent: boolean): void {
    if (isSilent === this.isSilent) return;
    this.isSilent = isSilent;
    for (const subscription of [...this.subscriptions]) subscription.silenceChanged();
  }

  private send(frame: ClientFrame): void {
    if (frame[0] === FrameType.unsubscribe) this.leaving.add(frame[1]);
    this.connection.send(frame);
  }

  private subscriptionAsking(reqId: number): Subscription<unknown> | undefined {
    return [...this.subscriptions].find((subscription) => subscription.isAnsweredBy(reqId));
  }

  /** Topics are few per session; two windows share one where the server cut both to the same. */
  private subscriptionsOf(topic: number): Subscription<unknown>[] {
    return [...this.subscriptions].filter((subscription) => subscription.topic === topic);
  }
}
