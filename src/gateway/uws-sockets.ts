/** Sockets on uWebSockets.js: handshakes answered, and each native socket as a `Socket` with its listener. */

import { CloseCode } from '../../proto/close-codes.js';
import { decodeFrame } from '../wire/decode.js';
import { decodeJson } from '../wire/json.js';
import { trustedProxies } from './client-address.js';
import { ConnectionLimits, type ConnectionLimitsOptions, type Release } from './connection-limits.js';
import { type Opening, readHandshake, type UpgradeRequest } from './handshake.js';
import { type HandshakeRefusal, HandshakeRefusedError } from './handshake-refused-error.js';
import { JsonSocket } from './json-socket.js';
import type { Handshake } from './principal.js';
import type { SendResult, Socket, SocketListener } from './socket.js';
import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from './uws.js';

export interface SocketEndpoint {
  readonly path: string;
  /** `null`: any. */
  readonly allowedOrigins: readonly string[] | null;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly limits: ConnectionLimitsOptions;
  /** How long a peer may say nothing, answers to pings of the library included: at least 8, in steps of 4. Default 60. */
  readonly idleTimeoutSec?: number;
  /** A handshake was refused. */
  onRefused(reason: HandshakeRefusal): void;
  /** A socket has opened. */
  open(socket: Socket, handshake: Handshake): SocketListener;
}

/** Above the frame limit of the protocol, so that a somewhat larger frame is refused with a code and a reason. */
const MAX_PAYLOAD_BYTES = 16_384;
/** Ghosts go after this; the library pings on its own, which browsers answer without any script. */
const IDLE_TIMEOUT_SEC = 60;
/** The outbox stops at the first sign of a full socket, so no more than one message and a cork ever wait here. */
const MAX_BACKPRESSURE_BYTES = 1_048_576;

/** Results of the native `send`. */
const SEND_QUEUED = 0;
const SEND_DROPPED = 2;

/** The library copies its fields, so what changes is one step away. */
interface SocketState {
  readonly socket: UwsSocket;
}

type NativeSocket = WebSocket<SocketState>;

export function serveSockets(app: TemplatedApp, endpoint: SocketEndpoint): void {
  const rules = { allowedOrigins: endpoint.allowedOrigins, isTrusted: trustedProxies(endpoint.trustedProxies) };
  const limits = new ConnectionLimits(endpoint.limits);
  app.ws<SocketState>(endpoint.path, {
    compression: 0,
    maxPayloadLength: MAX_PAYLOAD_BYTES,
    idleTimeout: endpoint.idleTimeoutSec ?? IDLE_TIMEOUT_SEC,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      try {
        const opening = readHandshake(copyRequest(res, req), rules);
        const release = limits.take(opening.handshake.address, performance.now());
        upgrade(res, req, context, opening, release);
      } catch (error) {
        if (!(error instanceof HandshakeRefusedError)) throw error;
        endpoint.onRefused(error.reason);
        refuse(res, error);
      }
    },
    open: (ws) => {
      const { socket } = ws.getUserData();
      const handshake = socket.opened(ws);
      socket.listener = endpoint.open(socket.isText ? new JsonSocket(socket) : socket, handshake);
    },
    message: (ws, message, isBinary) => {
      const { socket } = ws.getUserData();
      if (isBinary === socket.isText) {
        return socket.close(CloseCode.badFrame, socket.isText ? 'frames are text here' : 'frames are binary');
      }
      socket.listener?.received(new Uint8Array(message), socket.isText ? decodeJson : decodeFrame);
    },
    drain: (ws) => {
      if (ws.getBufferedAmount() === 0) ws.getUserData().socket.listener?.drained();
    },
    close: (ws, code) => {
      const { socket } = ws.getUserData();
      socket.closed();
      socket.listener?.closed(code);
    },
  });
}

/** The native request ends with the handler; a header may come in several lines, of which its own getter knows the first. */
function copyRequest(res: HttpResponse, req: HttpRequest): UpgradeRequest {
  const headers = new Map<string, string>();
  req.forEach((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  return {
    header: (name) => headers.get(name) ?? '',
    // Undefined where the URL has no `?`, whatever the typings say.
    query: (req.getQuery() as string | undefined) ?? '',
    remoteAddress: Buffer.from(res.getRemoteAddressAsText()).toString(),
  };
}

/** The socket opens during the call, or never: then nothing would give back what it was counted as. */
function upgrade(
  res: HttpResponse,
  req: HttpRequest,
  context: us_socket_context_t,
  { subprotocol, isText, handshake }: Opening,
  release: Release,
): void {
  const [key, extensions] = [req.getHeader('sec-websocket-key'), req.getHeader('sec-websocket-extensions')];
  const socket = new UwsSocket(isText, release, handshake);
  try {
    res.upgrade<SocketState>({ socket }, key, subprotocol, extensions, context);
  } finally {
    if (!socket.hasOpened) release();
  }
}

/** The connection goes with it: who is refused for being too many shall not stay on as an idle one. */
function refuse(res: HttpResponse, { status, problem, retryAfterSec }: HandshakeRefusedError): void {
  res.cork(() => {
    res.writeStatus(status).writeHeader('content-type', 'application/problem+json');
    if (retryAfterSec !== null) res.writeHeader('retry-after', String(retryAfterSec));
    res.end(JSON.stringify(problem), true);
  });
}

class UwsSocket implements Socket {
  /** Set by who opens it. */
  listener: SocketListener | null = null;
  /** `null` before it has opened, and after its close event, when the native object must not be touched. */
  private ws: NativeSocket | null = null;

  constructor(
    readonly isText: boolean,
    private readonly release: Release,
    /** `null` once it was handed over. */
    private handshake: Handshake | null,
  ) {}

  get hasOpened(): boolean {
    return this.handshake === null;
  }

  /** Answers what the handshake carried; it is not kept. */
  opened(ws: NativeSocket): Handshake {
    const { handshake } = this;
    if (handshake === null) throw new Error('a socket opens once');
    this.ws = ws;
    this.handshake = null;
    return handshake;
  }

  closed(): void {
    this.ws = null;
    this.release();
  }

  send(frame: Uint8Array): SendResult {
    if (this.ws === null) return 'queued';
    const result = this.ws.send(frame, !this.isText);
    if (result === SEND_DROPPED) return 'dropped';
    return result === SEND_QUEUED ? 'queued' : 'sent';
  }

  cork(write: () => void): void {
    this.ws?.cork(write);
  }

  bufferedBytes(): number {
    return this.ws?.getBufferedAmount() ?? 0;
  }

  close(code: CloseCode, reason: string): void {
    this.ws?.end(code, reason);
  }
}
