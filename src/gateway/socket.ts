/** What the gateway needs of a socket; the uWebSockets.js fence implements it, tests do so in memory. */

import type { CloseCode } from '../../proto/close-codes.js';
import type { Decode } from '../wire/client-frames.js';

/** `queued`: accepted, but nothing more until `drained`. `dropped`: over the limit, the bytes are gone. */
export type SendResult = 'sent' | 'queued' | 'dropped';

export interface Socket {
  send(frame: Uint8Array): SendResult;
  /** Runs `write`, its sends leave in as few system calls as possible. */
  cork(write: () => void): void;
  /** Bytes that wait here for their reader, beside what the kernel took. */
  bufferedBytes(): number;
  /** Closes with a code and at most 123 bytes of text. */
  close(code: CloseCode, reason: string): void;
}

/** What a socket tells its session, in order; nothing comes after `closed`. */
export interface SocketListener {
  /** A message. The bytes are valid during the call only. `decode` makes a value of them; default: as msgpack. */
  received(bytes: Uint8Array, decode?: Decode): void;
  drained(): void;
  closed(code: number): void;
}
