/** The client: the connection that is kept up, its sessions, and the shared views over them. */

import { ResyncWhy, type WelcomeFrame, WindowKind } from '../../proto/frames.js';
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
import type { Connection } from './connection.js';
import { ConnectionKeeper, type KeeperListener } from './connection-keeper.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Listeners } from './listeners.js';
import { PlacedWindow } from './placed-window.js';
import { RankWindow } from './rank-window.js';
import { Session, type SessionLink } from './session.js';
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
  readonly resyncs = { gaps: 0, checksums: 0 };
  private readonly views = new Map<string, LiveView<unknown>>();
  private lastReqId = 0;
  private readonly clock: Clock;
  private readonly keeper: ConnectionKeeper;
  /** Oldest first: two while a connection is taken over. */
  private readonly sessions = new Map<Connection, Session>();
  private readonly sessionLink: SessionLink;
  private readonly states = new Listeners<[ClientState, StateDetail]>((cause) =>
    this.reportError(listenerThrew(cause)),
  );
  // What an error listener throws has nowhere left to go.
  private readonly errors = new Listeners<[LeaderboardError]>(() => undefined);

  constructor(options: ClientOptions) {
    this.clock = clockOf(options);
    const random = options.random ?? Math.random;
    this.sessionLink = this.newSessionLink(options.getToken, random);
    this.keeper = new ConnectionKeeper(
      {
        url: socketUrl(options.url),
        clientName: options.clientName ?? DEFAULT_NAME,
        getToken: options.getToken,
        openTransport: webSocketTransport(options.WebSocket),
        clock: this.clock,
        random,
      },
      this.keeperListener(),
    );
  }

  get state(): ClientState {
    return this.keeper.state;
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

  around(
    boardId: string,
    options: { readonly above?: number; readonly below?: number; readonly playerId?: string } = {},
  ): View<WindowState<RankedEntry>> {
    const args = [options.above ?? null, options.below ?? null, options.playerId ?? null];
    return this.view({ kind: WindowKind.around, boardId, args }, () => new PlacedWindow());
  }

  players(boardId: string, playerIds: readonly string[]): View<WindowState<FriendEntry>> {
    const args = [[...new Set(playerIds)]];
    return this.view({ kind: WindowKind.players, boardId, args }, () => new UnplacedWindow());
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
    this.keeper.connect();
  }

  close(): void {
    this.keeper.close();
    for (const view of this.views.values()) view.stop(closedError());
  }

  private view<State>(request: WindowRequest, newFold: () => WindowFold<State>): View<State> {
    const key = JSON.stringify([request.kind, request.boardId, request.args]);
    // The kind is part of the key, so what lies there has this State.
    const known = this.views.get(key) as LiveView<State> | undefined;
    if (known !== undefined) return known.hold();
    const view: LiveView<State> = new LiveView(request, newFold(), this.linkOf(key));
    this.views.set(key, view);
    const session = this.newestSession();
    if (session !== null) view.attach(session);
    else if (this.state === 'idle') this.keeper.connect();
    else if (this.state === 'closed') view.stop(closedError());
    return view.hold();
  }

  private newSessionLink(getToken: ClientOptions['getToken'], random: () => number): SessionLink {
    return {
      clock: this.clock,
      random,
      getToken,
      nextReqId: () => {
        this.lastReqId += 1;
        return this.lastReqId;
      },
      resynced: (why) => {
        this.resyncs[why === ResyncWhy.gap ? 'gaps' : 'checksums'] += 1;
      },
      reportError: (error) => this.reportError(error),
    };
  }

  private linkOf(key: string): ViewLink {
    return {
      reportError: (error) => this.reportError(error),
      released: () => {
        this.views.delete(key);
        this.finishTakeover();
      },
      moved: () => this.finishTakeover(),
    };
  }

  private keeperListener(): KeeperListener {
    return {
      state: (state, detail) => this.states.call(state, detail),
      welcome: (connection, frame) => this.welcomed(connection, frame),
      frame: (connection, frame) => this.sessions.get(connection)?.receive(frame),
      gone: (connection) => this.gone(connection),
      error: (error, stopped) => {
        if (stopped) for (const view of this.views.values()) view.stop(error);
        this.reportError(error);
      },
    };
  }

  private welcomed(connection: Connection, frame: WelcomeFrame): void {
    this.playerId = frame[5] ?? null;
    const session = new Session(connection, this.sessionLink);
    this.sessions.set(connection, session);
    session.start(frame);
    for (const view of [...this.views.values()]) view.attach(session);
    this.finishTakeover();
  }

  private gone(connection: Connection): void {
    const session = this.sessions.get(connection);
    if (session === undefined) return;
    this.sessions.delete(connection);
    session.end();
    for (const view of [...this.views.values()]) {
      view.detach(session);
      // Where the second of two is lost, the first still lives.
      const rest = this.newestSession();
      if (rest !== null && !view.isAttached) view.attach(rest);
    }
  }

  private finishTakeover(): void {
    const session = this.newestSession();
    if (this.sessions.size < 2 || session === null) return;
    if ([...this.views.values()].every((view) => view.isOn(session))) this.keeper.takenOver();
  }

  private newestSession(): Session | null {
    return [...this.sessions.values()].at(-1) ?? null;
  }

  private reportError(error: LeaderboardError): void {
    this.errors.call(error);
  }
}

function closedError(): LeaderboardError {
  return new LeaderboardError(LOCAL_ERROR, 'the client is closed; connect() starts it anew', { retryable: false });
}
