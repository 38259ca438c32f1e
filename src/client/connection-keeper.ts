/** Keeps one connection up: when to try again after an end and when not, and a second one while a server goes away. */

import { CloseCode } from '../../proto/close-codes.js';
import type { GoawayFrame, ServerFrame, WelcomeFrame } from '../../proto/frames.js';
import type { ClientState, StateDetail } from './api.js';
import { Backoff } from './backoff.js';
import { Connection, type ConnectionEnd, type ConnectionOptions } from './connection.js';
import { LeaderboardError } from './errors.js';
import { Takeover, takeoverUrl } from './takeover.js';

export interface KeeperOptions extends Omit<ConnectionOptions, 'sessionId'> {
  readonly random: () => number;
}

export interface KeeperListener {
  state(state: ClientState, detail: StateDetail): void;
  /** This connection is live. Where another one is live already, the windows are to be taken over to this one. */
  welcome(connection: Connection, frame: WelcomeFrame): void;
  frame(connection: Connection, frame: ServerFrame): void;
  /** Nothing more comes over it. Also for connections that were never welcomed. */
  gone(connection: Connection): void;
  /** With `stopped` the keeper has given up and will not try again by itself. */
  error(error: LeaderboardError, stopped: boolean): void;
}

export class ConnectionKeeper {
  state: ClientState = 'idle';
  /** The one that counts, live or on its way; `null` while waiting, and before and after all. */
  private current: Connection | null = null;
  /** Only beside a `current` that is live. */
  private takeover: Takeover | null = null;
  /** Waits of takeovers right after one another: the new socket may reach the same server, or another that goes. */
  private hops: Backoff | null = null;
  private wasLive = false;
  private triedNewToken = false;
  private sessionId: string | null = null;
  private stopTimer: () => void = () => undefined;
  private readonly backoff: Backoff;
  private readonly options: KeeperOptions;
  private readonly listener: KeeperListener;

  constructor(options: KeeperOptions, listener: KeeperListener) {
    this.options = options;
    this.listener = listener;
    this.backoff = new Backoff(options.random);
  }

  /** Does nothing while a try is on; cuts a wait short; makes sure of a connection that only looks live. */
  connect(): void {
    if (this.current !== null) {
      if (this.current.isLive) this.current.doubt();
      return;
    }
    if (this.state === 'closed') {
      this.backoff.reset();
      this.triedNewToken = false;
    }
    this.stopTimer();
    // Begun first, so that a state listener that closes us has something to close.
    this.begin();
    this.setState(this.wasLive ? 'resuming' : 'connecting', null, '', null);
  }

  close(): void {
    if (this.state === 'closed') return;
    this.stopTimer();
    const ended = [this.current, this.takeover?.connection ?? null];
    this.takeover?.cancel();
    this.current?.close(CloseCode.normal);
    this.current = null;
    this.takeover = null;
    // Before anybody is told: a listener that connects again must find us closed.
    this.state = 'closed';
    for (const connection of ended) if (connection !== null) this.listener.gone(connection);
    if (this.current !== null) return;
    this.setState('closed', CloseCode.normal, 'closed by the application', null);
  }

  /** All windows are whole on the second connection: it is the one from here on. */
  takenOver(): void {
    const { current } = this;
    const second = this.takeover?.release() ?? null;
    if (current === null || second === null) return;
    current.close(CloseCode.normal);
    this.follow(second);
    this.listener.gone(current);
  }

  private begin(): void {
    this.current = this.connectionTo(this.options.url);
    this.current.open();
  }

  private connectionTo(url: string): Connection {
    const connection: Connection = new Connection(
      { ...this.options, url, sessionId: this.sessionId },
      {
        welcome: (frame) => this.welcomed(connection, frame),
        frame: (frame) => this.listener.frame(connection, frame),
        goaway: (frame) => {
          // What the second one says waits until it is the first.
          if (connection === this.current) this.beginTakeover(connection, frame);
        },
        error: (error) => this.listener.error(error, false),
        ended: (end) => this.ended(connection, end),
      },
    );
    return connection;
  }

  private welcomed(connection: Connection, frame: WelcomeFrame): void {
    this.sessionId = frame[1];
    if (connection === this.current) {
      this.wasLive = true;
      this.setState('live', null, '', null);
    }
    if (connection.isLive) this.listener.welcome(connection, frame);
  }

  private ended(connection: Connection, end: ConnectionEnd): void {
    if (connection !== this.current) {
      this.takeover?.lost(end.code);
      return this.listener.gone(connection);
    }
    const second = this.takeover?.release() ?? null;
    this.follow(second);
    this.listener.gone(connection);
    // A listener may have closed us, and connected anew.
    if (this.current !== second || this.state === 'closed') return;
    if (second === null) this.lost(end, connection.isStable);
    else if (!second.isLive) this.setState('resuming', end.code, end.reason, null);
  }

  private follow(connection: Connection | null): void {
    this.takeover = null;
    this.current = connection;
    if (connection !== null && connection.goaway !== null) this.beginTakeover(connection, connection.goaway);
  }

  private beginTakeover(from: Connection, frame: GoawayFrame): void {
    const { clock, random, url } = this.options;
    if (from.isStable) this.hops = null;
    const leadMs = this.hops?.next() ?? 0;
    this.hops ??= new Backoff(random);
    const connectionTo = (asked: string | null) => this.connectionTo(takeoverUrl(url, asked));
    this.takeover = new Takeover(frame, { leadMs, clock, random, connectionTo });
  }

  private lost({ code, reason, retry }: ConnectionEnd, wasStable: boolean): void {
    if (wasStable) {
      this.backoff.reset();
      // Not at WELCOME: a token that ends a moment later is welcomed too, again and again.
      this.triedNewToken = false;
    }
    if (retry === 'no') return this.stop(code, reason || `the server closed with ${code}; trying again cannot help`);
    if (retry === 'new-token') {
      if (this.options.getToken === undefined) return this.stop(code, reason || 'the server wants a token');
      if (this.triedNewToken) return this.stop(code, reason || 'the server refused the token, and a fresh one as well');
      this.triedNewToken = true;
    }
    const waitMs = this.backoff.next(code);
    this.stopTimer = this.options.clock.after(waitMs, () => this.begin());
    this.setState(this.wasLive ? 'resuming' : 'connecting', code, reason, waitMs);
  }

  private stop(code: number, reason: string): void {
    this.setState('closed', code, reason, null);
    this.listener.error(new LeaderboardError(code, reason, { retryable: false }), true);
  }

  private setState(state: ClientState, code: number | null, reason: string, retryInMs: number | null): void {
    this.state = state;
    this.listener.state(state, { code, reason, retryInMs });
  }
}
