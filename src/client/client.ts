/** The client: one connection, the shared views over it, and which frame goes to which. */

import {
  type ErrorFrame,
  FrameType,
  type ServerFrame,
  type SubscribedFrame,
  type UnsubscribedFrame,
  WindowKind,
} from '../../proto/frames.js';
import type {
  Client,
  ClientEvents,
  ClientOptions,
  ClientState,
  FriendEntry,
  MyRankState,
  RankedEntry,
  StateDetail,
  View,
  WindowState,
} from './api.js';
import { type Clock, clockOf } from './clock.js';
import { Connection, type ConnectionListener } from './connection.js';
import { isRetryableCode, LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Listeners } from './listeners.js';
import { PlacedWindow } from './placed-window.js';
import { RankWindow } from './rank-window.js';
import type { WindowRequest } from './subscription.js';
import { socketUrl, webSocketTransport } from './transport.js';
import { UnplacedWindow } from './unplaced-window.js';
import { LiveView, listenerThrew, type ViewLink } from './view.js';
import type { WindowFold } from './window.js';

const DEFAULT_NAME = 'sdk-js/0.1.0';

/** Throws a `LeaderboardError` where the url is none, or where there is no WebSocket and none was passed. */
export function createClient(options: ClientOptions): Client {
  return new LiveClient(options);
}

class LiveClient implements Client {
  playerId: string | null = null;
  private readonly views = new Map<string, LiveView<unknown>>();
  private lastReqId = 0;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly connection: Connection;
  private readonly states = new Listeners<[ClientState, StateDetail]>((cause) =>
    this.reportError(listenerThrew(cause)),
  );
  // What an error listener throws has nowhere left to go.
  private readonly errors = new Listeners<[LeaderboardError]>(() => undefined);

  constructor(options: ClientOptions) {
    this.clock = clockOf(options);
    this.random = options.random ?? Math.random;
    this.connection = new Connection(
      {
        url: socketUrl(options.url),
        clientName: options.clientName ?? DEFAULT_NAME,
        getToken: options.getToken,
        openTransport: webSocketTransport(options.WebSocket),
        clock: this.clock,
        random: this.random,
      },
      this.connectionListener(),
    );
  }

  get state(): ClientState {
    return this.connection.state;
  }

  top(boardId: string, options: { readonly limit?: number } = {}): View<WindowState<RankedEntry>> {
    const args = [options.limit ?? null];
    return this.view({ kind: WindowKind.top, boardId, args }, () => new PlacedWindow());
  }

  friends(
    boardId: string,
    options: { readonly limit?: number; readonly includeSelf?: boolean } = {},
  ): View<WindowState<FriendEntry>> {
    const args = [options.limit ?? null, options.includeSelf ?? null];
    return this.view({ kind: WindowKind.friends, boardId, args }, () => new UnplacedWindow());
  }

  me(boardId: string): View<MyRankState> {
    return this.view({ kind: WindowKind.me, boardId, args: [] }, () => new RankWindow(() => this.playerId));
  }

  on<Name extends keyof ClientEvents>(event: Name, listener: ClientEvents[Name]): () => void {
    if (event === 'state') return this.states.add(listener as ClientEvents['state']);
    return this.errors.add(listener as ClientEvents['error']);
  }

  connect(): void {
    for (const view of this.views.values()) view.resume();
    this.connection.connect();
  }

  close(): void {
    this.connection.close();
    for (const view of this.views.values()) view.stop(closedError());
  }

  private view<State>(request: WindowRequest, newFold: () => WindowFold<State>): View<State> {
    const key = JSON.stringify([request.kind, request.boardId, request.args]);
    // The kind is part of the key, so what lies there has this State.
    const known = this.views.get(key) as LiveView<State> | undefined;
    if (known !== undefined) return known.hold();
    const view: LiveView<State> = new LiveView(request, newFold(), this.linkOf(key));
    this.views.set(key, view);
    if (this.state === 'live') view.subscription.start();
    else if (this.state === 'idle') this.connection.connect();
    else if (this.state === 'closed') view.stop(closedError());
    return view.hold();
  }

  private nextReqId(): number {
    this.lastReqId += 1;
    return this.lastReqId;
  }

  private linkOf(key: string): ViewLink {
    return {
      clock: this.clock,
      random: this.random,
      send: (frame) => this.connection.send(frame),
      nextReqId: () => this.nextReqId(),
      isShared: (topic) => this.viewsOf(topic).length > 0,
      reportError: (error) => this.reportError(error),
      released: () => void this.views.delete(key),
    };
  }

  private connectionListener(): ConnectionListener {
    return {
      state: (state, detail) => {
        if (state !== 'live') for (const view of this.views.values()) view.subscription.suspend();
        this.states.call(state, detail);
      },
      welcome: (frame) => {
        this.playerId = frame[5] ?? null;
        for (const view of [...this.views.values()]) view.subscription.start();
      },
      frame: (frame) => this.receive(frame),
      error: (error, stopped) => {
        if (stopped) for (const view of this.views.values()) view.stop(error);
        this.reportError(error);
      },
    };
  }

  private receive(frame: ServerFrame): void {
    switch (frame[0]) {
      case FrameType.snapshot:
      case FrameType.delta:
      case FrameType.rank:
        for (const view of this.viewsOf(frame[1])) view.subscription.take(frame);
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
    const view = this.viewAsking(reqId);
    if (view !== undefined) view.subscription.subscribed(frame);
    // Closed while the answer was on its way.
    else if (this.viewsOf(topic).length === 0) {
      this.connection.send([FrameType.unsubscribe, this.nextReqId(), topic]);
    }
  }

  private unsubscribed(frame: UnsubscribedFrame): void {
    const [, reqId, topic, code, message] = frame;
    for (const { subscription } of this.viewsOf(topic)) {
      if (reqId === 0) subscription.refused(code, message, 0);
      // Our own UNSUBSCRIBE, sent for a view that is gone, overtook one that came to the same topic since.
      else subscription.start();
    }
  }

  private refused(frame: ErrorFrame): void {
    const [, reqId, code, message, retryAfterMs] = frame;
    const view = this.viewAsking(reqId);
    if (view?.subscription.status === 'subscribing') view.subscription.refused(code, message, retryAfterMs ?? null);
    else this.reportError(new LeaderboardError(code, message, { retryable: isRetryableCode(code), retryAfterMs }));
  }

  private viewAsking(reqId: number): LiveView<unknown> | undefined {
    return [...this.views.values()].find((view) => view.subscription.isAnsweredBy(reqId));
  }

  /** Topics are few per client; two views share one where the server cut both to the same window. */
  private viewsOf(topic: number): LiveView<unknown>[] {
    return [...this.views.values()].filter((view) => view.subscription.topic === topic);
  }

  private reportError(error: LeaderboardError): void {
    this.errors.call(error);
  }
}

function closedError(): LeaderboardError {
  return new LeaderboardError(LOCAL_ERROR, 'the client is closed; connect() starts it anew', { retryable: false });
}
