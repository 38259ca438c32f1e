/** The life of one connection: a token, a socket, HELLO, WELCOME, signs of life, and how it ended. It never comes back. */

import { CloseCode, type RetryAnswer, retryAfterClose } from '../../proto/close-codes.js';
import {
  Capability,
  type ClientFrame,
  FrameType,
  type GoawayFrame,
  type ServerFrame,
  type WelcomeFrame,
} from '../../proto/frames.js';
import type { ClientOptions } from './api.js';
import type { Clock } from './clock.js';
import { encodeFrame } from './encode.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Liveness } from './liveness.js';
import { readFrames } from './read-frame.js';
import type { OpenTransport, Transport, TransportEvents } from './transport.js';

/** From the beginning to WELCOME: the token, the socket and the greeting. */
const CONNECT_TIMEOUT_MS = 8_000;
/** A session that lasted this long was a good one: the next loss begins with short waits, and may bring a new token. */
const STABLE_AFTER_MS = 5_000;
const HEARTBEAT_SLACK_MS = 10_000;
const DEFAULT_HEARTBEAT_MS = 25_000;
const CAPS = Capability.batch | Capability.delta | Capability.sync;

export interface ConnectionOptions {
  readonly url: string;
  readonly clientName: string;
  /** That of the last WELCOME. */
  readonly sessionId: string | null;
  readonly getToken: ClientOptions['getToken'];
  readonly openTransport: OpenTransport;
  readonly clock: Clock;
}

export interface ConnectionEnd {
  /** Of the close; 0 where it did not come to a socket. */
  readonly code: number;
  readonly reason: string;
  readonly retry: RetryAnswer;
}

export interface ConnectionListener {
  welcome(frame: WelcomeFrame): void;
  /** All frames of the session but WELCOME and GOAWAY, in order. */
  frame(frame: ServerFrame): void;
  /** Once; everything goes on until the end. */
  goaway(frame: GoawayFrame): void;
  /** What is behind an end that follows, in more words. */
  error(error: LeaderboardError): void;
  /** Once, and nothing follows. Not called after `close()`. */
  ended(end: ConnectionEnd): void;
}

export class Connection {
  /** The one that HELLO carried. */
  token: string | null = null;
  /** The first one of this socket. */
  goaway: GoawayFrame | null = null;
  private transport: Transport | null = null;
  private isOver = false;
  private liveSince: number | null = null;
  private pings = 0;
  private stopTimer: () => void = () => undefined;
  private readonly liveness: Liveness;
  private readonly options: ConnectionOptions;
  private readonly listener: ConnectionListener;

  constructor(options: ConnectionOptions, listener: ConnectionListener) {
    this.options = options;
    this.listener = listener;
    this.liveness = new Liveness(options.clock, (reason) => this.drop(CloseCode.heartbeatMissed, reason));
  }

  get isLive(): boolean {
    return this.liveSince !== null && !this.isOver;
  }

  /** Live for long enough to be called good. */
  get isStable(): boolean {
    return this.liveSince !== null && this.options.clock.now() - this.liveSince >= STABLE_AFTER_MS;
  }

  open(): void {
    this.stopTimer = this.options.clock.after(CONNECT_TIMEOUT_MS, () => this.tooLate());
    this.askToken().then(
      (token) => {
        if (!this.isOver) this.openSocket(token);
      },
      (cause: unknown) => {
        if (!this.isOver) this.tokenFailed('getToken failed', cause);
      },
    );
  }

  /** Makes sure of a connection that only looks live. */
  doubt(): void {
    this.liveness.doubt(() => this.ping());
  }

  /** Only in a session: what is asked outside of one would close it. */
  send(frame: ClientFrame): void {
    if (this.isLive) this.transport?.send(encodeFrame(frame));
  }

  /** Nothing is reported from here on. Does not wait for the other side, which may be long gone. */
  close(code: number): void {
    this.finish();
    this.transport?.close(code);
  }

  private async askToken(): Promise<string | null> {
    return (await this.options.getToken?.()) ?? null;
  }

  private tooLate(): void {
    if (this.transport === null) this.tokenFailed(`getToken gave no answer in ${CONNECT_TIMEOUT_MS / 1_000} s`);
    else this.drop(CloseCode.helloLate, 'no WELCOME in time');
  }

  private tokenFailed(reason: string, cause?: unknown): void {
    this.listener.error(new LeaderboardError(LOCAL_ERROR, `${reason}; trying again`, { retryable: true, cause }));
    this.end(LOCAL_ERROR, reason);
  }

  private openSocket(token: string | null): void {
    this.token = token;
    const { url, openTransport } = this.options;
    const events: TransportEvents = {
      open: () => {
        if (!this.isOver) this.hello();
      },
      message: (bytes) => {
        if (!this.isOver) this.receive(bytes);
      },
      closed: (code, reason) => this.end(code, reason),
    };
    try {
      this.transport = openTransport(url, events);
    } catch (error) {
      // What the platform refuses to open (ws from an https page, say) it will refuse again.
      this.end(LOCAL_ERROR, `cannot open ${url}: ${String(error)}`, 'no');
    }
  }

  private hello(): void {
    const { clientName, sessionId } = this.options;
    this.transport?.send(encodeFrame([FrameType.hello, this.token, clientName, CAPS, sessionId]));
  }

  private receive(bytes: Uint8Array | null): void {
    this.liveness.heard();
    try {
      if (bytes === null) throw new TypeError('a text message where frames are binary');
      for (const frame of readFrames(bytes)) {
        this.take(frame);
        // A listener may have closed this connection: the rest of the batch is nobody's.
        if (this.isOver) return;
      }
    } catch (cause) {
      if (this.isOver) return;
      const message = 'the server sent bytes that are no frame; connecting anew';
      this.listener.error(new LeaderboardError(LOCAL_ERROR, message, { retryable: true, cause }));
      this.drop(CloseCode.internal, 'bad frame from the server');
    }
  }

  private take(frame: ServerFrame): void {
    if (frame[0] === FrameType.welcome) this.welcome(frame);
    else if (frame[0] !== FrameType.goaway) this.listener.frame(frame);
    else if (this.goaway === null) {
      this.goaway = frame;
      this.listener.goaway(frame);
    }
  }

  private welcome(frame: WelcomeFrame): void {
    this.stopTimer();
    this.liveSince = this.options.clock.now();
    this.liveness.start((frame[3] > 0 ? frame[3] : DEFAULT_HEARTBEAT_MS) + HEARTBEAT_SLACK_MS);
    this.listener.welcome(frame);
  }

  private ping(): void {
    this.pings += 1;
    this.send([FrameType.ping, this.pings]);
  }

  private drop(code: number, reason: string): void {
    if (this.isOver) return;
    this.transport?.close(code);
    this.end(code, reason);
  }

  private end(code: number, reason: string, retry: RetryAnswer = retryAfterClose(code)): void {
    // The listener of an error may have closed us.
    if (this.isOver) return;
    this.finish();
    this.listener.ended({ code, reason, retry });
  }

  private finish(): void {
    this.isOver = true;
    this.stopTimer();
    this.liveness.stop();
  }
}
