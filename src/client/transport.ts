/** The one place that touches a WebSocket; the rest of the SDK sees bytes, an open and a close. */

import { SUBPROTOCOL } from '../../proto/frames.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';

/** What the SDK uses of a WebSocket: the browser's and the `ws` package's both fit. */
export interface SocketLike {
  binaryType: string;
  // Read as unknown, written with a type: so browser and `ws` classes fit, whose own event types differ.
  get onopen(): unknown;
  set onopen(listener: (() => void) | null);
  get onmessage(): unknown;
  set onmessage(listener: ((event: { readonly data: unknown }) => void) | null);
  get onclose(): unknown;
  set onclose(listener: ((event: { readonly code: number; readonly reason: string }) => void) | null);
  get onerror(): unknown;
  set onerror(listener: (() => void) | null);
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

export interface TransportEvents {
  open(): void;
  /** One binary message, or `null` for a message that is not binary. */
  message(bytes: Uint8Array | null): void;
  closed(code: number, reason: string): void;
}

export interface Transport {
  send(bytes: Uint8Array): void;
  /** No event follows. */
  close(code: number): void;
}

export type OpenTransport = (url: string, events: TransportEvents) => Transport;

/** Without `given` the platform's class is taken. Throws where there is none. */
export function webSocketTransport(given: SocketConstructor | undefined): OpenTransport {
  const Socket = given ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  if (Socket === undefined) {
    const message = 'there is no WebSocket here: pass one as options.WebSocket (Node 20: the class of the ws package)';
    throw new LeaderboardError(LOCAL_ERROR, message, { retryable: false });
  }
  return (url, events) => openSocket(new Socket(url, [SUBPROTOCOL]), events);
}

function openSocket(socket: SocketLike, events: TransportEvents): Transport {
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => events.open();
  socket.onmessage = (event) => events.message(bytesOf(event.data));
  socket.onclose = (event) => events.closed(event.code, event.reason);
  // A close follows each error; without this listener `ws` would throw it.
  socket.onerror = () => undefined;
  return {
    send: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
    close(code) {
      socket.onopen = null;
      socket.onmessage = null;
      socket.onclose = null;
      // The error listener stays: closing a socket that is still connecting makes `ws` report one.
      socket.close(code);
    },
  };
}

function bytesOf(data: unknown): Uint8Array | null {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return null;
}

/**
 * `ws://host/v1/socket` from what people paste: the address itself, or the http(s) address of the server or its page.
 * Throws for text that is no such address.
 */
export function socketUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const scheme =
    url === null ? undefined : { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' }[url.protocol];
  if (url === null || scheme === undefined) {
    const message = `url must be a ws, wss, http or https address such as ws://localhost:8080/v1/socket, not ${JSON.stringify(address)}`;
    throw new LeaderboardError(LOCAL_ERROR, message, { retryable: false });
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${scheme}//${url.host}${path.endsWith('/v1/socket') ? path : `${path}/v1/socket`}${url.search}`;
}
