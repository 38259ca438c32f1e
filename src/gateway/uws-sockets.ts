/** Sockets on uWebSockets.js: the handshake, and each native socket as a `Socket` with its listener. */

import { CloseCode } from '../../proto/close-codes.js';
import { SUBPROTOCOL } from '../../proto/frames.js';
import type { SendResult, Socket, SocketListener } from './socket.js';
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket } from './uws.js';

export interface SocketEndpoint {
  readonly path: string;
  /** `null`: any. */
  readonly allowedOrigins: readonly string[] | null;
  /** A socket has opened. */
  open(socket: Socket): SocketListener;
}

/** Above the frame limit of the protocol, so that a somewhat larger frame is refused with a code and a reason. */
const MAX_PAYLOAD_BYTES = 16_384;
/** Ghosts go after this; the library pings on its own, which browsers answer without any script. */
const IDLE_TIMEOUT_SEC = 60;
/** The outbox stops at the first sign of a full socket, so no more than one flush ever waits here. */
const MAX_BACKPRESSURE_BYTES = 1_048_576;

/** Results of the native `send`. */
const SEND_QUEUED = 0;
const SEND_DROPPED = 2;

interface SocketState {
  listener: SocketListener | null;
  socket: UwsSocket | null;
}

type NativeSocket = WebSocket<SocketState>;

export function serveSockets(app: TemplatedApp, endpoint: SocketEndpoint): void {
  app.ws<SocketState>(endpoint.path, {
    compression: 0,
    maxPayloadLength: MAX_PAYLOAD_BYTES,
    idleTimeout: IDLE_TIMEOUT_SEC,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      const offered = req.getHeader('sec-websocket-protocol');
      const protocols = offered === '' ? [] : offered.split(',').map((protocol) => protocol.trim());
      if (protocols.length > 0 && !protocols.includes(SUBPROTOCOL)) {
        return refuse(res, '400 Bad Request', 'unknown-subprotocol', `offer ${SUBPROTOCOL}, or no subprotocol`);
      }
      if (!isAllowedOrigin(req, endpoint.allowedOrigins)) {
        return refuse(
          res,
          '403 Forbidden',
          'forbidden-origin',
          'this origin is not on the list of RANKCAST_ALLOWED_ORIGINS',
        );
      }
      const state: SocketState = { listener: null, socket: null };
      const chosen = protocols.length > 0 ? SUBPROTOCOL : '';
      res.upgrade(
        state,
        req.getHeader('sec-websocket-key'),
        chosen,
        req.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open: (ws) => {
      const socket = new UwsSocket(ws);
      const state = ws.getUserData();
      state.socket = socket;
      state.listener = endpoint.open(socket);
    },
    message: (ws, message, isBinary) => {
      const { listener, socket } = ws.getUserData();
      if (isBinary) listener?.received(new Uint8Array(message));
      else socket?.close(CloseCode.badFrame, 'frames are binary');
    },
    drain: (ws) => {
      if (ws.getBufferedAmount() === 0) ws.getUserData().listener?.drained();
    },
    close: (ws, code) => {
      const { listener, socket } = ws.getUserData();
      socket?.markClosed();
      listener?.closed(code);
    },
  });
}

function isAllowedOrigin(req: HttpRequest, allowedOrigins: readonly string[] | null): boolean {
  const origin = req.getHeader('origin');
  // Native clients send none.
  return allowedOrigins === null || origin === '' || allowedOrigins.includes(origin);
}

function refuse(res: HttpResponse, status: string, code: string, detail: string): void {
  const body = { type: `/problems/${code}`, title: status.slice(4), status: Number(status.slice(0, 3)), detail };
  res.writeStatus(status).writeHeader('content-type', 'application/problem+json').end(JSON.stringify(body));
}

class UwsSocket implements Socket {
  /** The native object must not be touched after its close event. */
  private isClosed = false;

  constructor(private readonly ws: NativeSocket) {}

  send(frame: Uint8Array): SendResult {
    if (this.isClosed) return 'queued';
    const result = this.ws.send(frame, true);
    if (result === SEND_DROPPED) return 'dropped';
    return result === SEND_QUEUED ? 'queued' : 'sent';
  }

  cork(write: () => void): void {
    if (!this.isClosed) this.ws.cork(write);
  }

  close(code: CloseCode, reason: string): void {
    if (!this.isClosed) this.ws.end(code, reason);
  }

  markClosed(): void {
    this.isClosed = true;
  }
}
