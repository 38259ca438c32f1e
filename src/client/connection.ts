/** One connection that is kept up: open, HELLO, WELCOME, liveness, and what to do after a close. */

import { CloseCode, retryAfterClose } from '../../proto/close-codes.js';
import { Capability, type ClientFrame, FrameType, type ServerFrame, type WelcomeFrame } from '../../proto/frames.js';
import type { ClientState, StateDetail } from './api.js';
import { Backoff } from './backoff.js';
import type { Clock } from './clock.js';
import { encodeFrame } from './encode.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Liveness } from './liveness.js';
import { readFrames } from './read-frame.js';
import type { OpenTransport, Transport, TransportEvents } from './transport.js';

/** From the beginning of a try to WELCOME: the token, the socket and the greeting. */
const CONNECT_TIMEOUT_MS = 8_000;
/** A connection that lived this long was a good one: the next loss begins with short waits, and may bring a new token. */
const STABLE_AFTER_MS = 5_000;
const HEARTBEAT_SLACK_MS = 10_000;
const DEFAULT_HEARTBEAT_MS = 25_000;
/** The server said there are too many of us. */
const TOO_MANY_WAIT_MS = 10_000;
/** The application's own code for "no sign of life" on our side; the table of PROTOCOL.md has it, servers never send it. */
const HEARTBEAT_MISSED = 4504;

export interface ConnectionOptions {
  readonly url: string;
  readonly clientName: string;
  readonly getToken: (() => Promise<string | null> | string | null) | undefined;
  readonly openTransport: OpenTransport;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface ConnectionListener {
  state(state: ClientState, detail: StateDetail): void;
  /** The connection is live; subscriptions may be sent. */
  welcome(frame: WelcomeFrame): void;
  frame(frame: ServerFrame): void;
  /** With `stopped` the connection has given up and will not try again by itself. */
  error(error: LeaderboardError, stopped: boolean): void;
}

export class Connection {
  state: ClientState = 'idle';
  private transport: Transport | null = null;
  /** Grows with each try, so that what an older one still reports is known as old. */
  private attempt = 0;
  private isTrying = false;
  private wasLive = false;
  private triedNewToken = false;
  private sessionId: string | null = null;
  private liveSince = 0;
  private pings = 0;
  private stopTimer: () => void = () => undefined;
  private readonly backoff: Backoff;
  private readonly liveness: Liveness;
  private readonly options: ConnectionOptions;
  private readonly listener: ConnectionListener;

  constructor(options: ConnectionOptions, listener: ConnectionListener) {
    this.options = options;
    this.listener = listener;
    this.backoff = new Backoff(options.random);
    this.liveness = new Liveness(options.clock, (reason) => this.drop(HEARTBEAT_MISSED, reason));
  }

  /** Does nothing while a try is on; cuts a wait short; makes sure of a connection that only looks live. */
  connect(): void {
    if (this.state === 'live') return this.liveness.doubt(() => this.ping());
    if (this.isTrying) return;
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
    this.end(CloseCode.normal);
    this.setState('closed', CloseCode.normal, 'closed by the application', null);
  }

  /** Frames are only sent while live; each new WELCOME asks for everything again. */
  send(frame: ClientFrame): void {
    if (this.state === 'live') this.transport?.send(encodeFrame(frame));
  }

  private begin(): void {
    this.isTrying = true;
    this.attempt += 1;
    const attempt = this.attempt;
    this.stopTimer = this.options.clock.after(CONNECT_TIMEOUT_MS, () => this.tooLate());
    this.token().then(
      (token) => {
        if (attempt === this.attempt) this.open(token);
      },
      (cause: unknown) => {
        if (attempt === this.attempt) this.tokenFailed('getToken failed', cause);
      },
    );
  }

  private tooLate(): void {
    if (this.transport === null) this.tokenFailed(`getToken gave no answer in ${CONNECT_TIMEOUT_MS / 1_000} s`);
    else this.drop(CloseCode.helloLate, 'no WELCOME in time');
  }

  private tokenFailed(reason: string, cause?: unknown): void {
    this.stopTimer();
    // What it still answers comes too late.
    this.attempt += 1;
    const attempt = this.attempt;
    this.listener.error(
      new LeaderboardError(LOCAL_ERROR, `${reason}; trying again`, { retryable: true, cause }),
      false,
    );
    // The listener may have closed us.
    if (attempt === this.attempt) this.retry(LOCAL_ERROR, reason);
  }

  private async token(): Promise<string | null> {
    return (await this.options.getToken?.()) ?? null;
  }

  private open(token: string | null): void {
    const attempt = this.attempt;
    const isCurrent = () => attempt === this.attempt;
    const events: TransportEvents = {
      open: () => {
        if (isCurrent()) this.hello(token);
      },
      message: (bytes) => {
        if (isCurrent()) this.receive(bytes);
      },
      closed: (code, reason) => {
        if (isCurrent()) this.lost(code, reason);
      },
    };
    try {
      this.transport = this.options.openTransport(this.options.url, events);
    } catch (error) {
      // What the platform refuses to open (ws from an https page, say) it will refuse again.
      this.end(null);
      this.stop(LOCAL_ERROR, `cannot open ${this.options.url}: ${String(error)}`);
    }
  }

  private hello(token: string | null): void {
    const caps = Capability.batch | Capability.delta;
    this.transport?.send(encodeFrame([FrameType.hello, token, this.options.clientName, caps, this.sessionId]));
  }

  private receive(bytes: Uint8Array | null): void {
    const attempt = this.attempt;
    this.liveness.heard();
    try {
      if (bytes === null) throw new TypeError('a text message where frames are binary');
      for (const frame of readFrames(bytes)) {
        if (frame[0] === FrameType.welcome) this.welcome(frame);
        else this.listener.frame(frame);
        // A listener may have closed or replaced this connection: the rest of the batch is nobody's.
        if (attempt !== this.attempt) return;
      }
    } catch (cause) {
      if (attempt !== this.attempt) return;
      const message = 'the server sent bytes that are no frame; connecting anew';
      this.listener.error(new LeaderboardError(LOCAL_ERROR, message, { retryable: true, cause }), false);
      if (attempt === this.attempt) this.drop(CloseCode.internal, 'bad frame from the server');
    }
  }

  private welcome(frame: WelcomeFrame): void {
    this.stopTimer();
    this.isTrying = false;
    this.wasLive = true;
    this.sessionId = frame[1];
    this.liveSince = this.options.clock.now();
    this.liveness.start(frame[3] > 0 ? frame[3] + HEARTBEAT_SLACK_MS : DEFAULT_HEARTBEAT_MS + HEARTBEAT_SLACK_MS);
    const attempt = this.attempt;
    this.setState('live', null, '', null);
    if (attempt === this.attempt) this.listener.welcome(frame);
  }

  private ping(): void {
    this.pings += 1;
    this.send([FrameType.ping, this.pings]);
  }

  /** Our own close does not wait for the other side, which may be long gone. */
  private drop(code: number, reason: string): void {
    this.transport?.close(code);
    this.transport = null;
    this.lost(code, reason);
  }

  private lost(code: number, reason: string): void {
    const { clock } = this.options;
    if (this.state === 'live' && clock.now() - this.liveSince >= STABLE_AFTER_MS) {
      this.backoff.reset();
      // Not at WELCOME: a token that ends a moment later is welcomed too, again and again.
      this.triedNewToken = false;
    }
    this.end(null);
    const answer = retryAfterClose(code);
    if (answer === 'no') return this.stop(code, reason || `the server closed with ${code}; trying again cannot help`);
    if (answer === 'new-token') {
      if (this.options.getToken === undefined) return this.stop(code, reason || 'the server wants a token');
      if (this.triedNewToken) return this.stop(code, reason || 'the server refused the token, and a fresh one as well');
      this.triedNewToken = true;
    }
    this.retry(code, reason);
  }

  private retry(code: number, reason: string): void {
    this.isTrying = false;
    const waitMs = (code === CloseCode.tooMany ? TOO_MANY_WAIT_MS : 0) + this.backoff.next();
    this.stopTimer = this.options.clock.after(waitMs, () => this.begin());
    this.setState(this.wasLive ? 'resuming' : 'connecting', code, reason, waitMs);
  }

  private stop(code: number, reason: string): void {
    this.setState('closed', code, reason, null);
    this.listener.error(new LeaderboardError(code, reason, { retryable: false }), true);
  }

  /** Makes everything that is under way old. */
  private end(closeCode: number | null): void {
    this.attempt += 1;
    this.isTrying = false;
    this.stopTimer();
    this.liveness.stop();
    if (closeCode !== null) this.transport?.close(closeCode);
    this.transport = null;
  }

  private setState(state: ClientState, code: number | null, reason: string, retryInMs: number | null): void {
    this.state = state;
    this.listener.state(state, { code, reason, retryInMs });
  }
}
