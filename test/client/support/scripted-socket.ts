/** WebSockets whose other side is the test. */

import { Packr } from 'msgpackr';
import type { ServerFrame } from '../../../proto/frames.js';
import type { SocketConstructor, SocketLike } from '../../../src/client/index.js';
import { decodeFrame } from '../../../src/wire/decode.js';

// As the server writes: large numbers arrive as float64.
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

export class ScriptedSocket implements SocketLike {
  binaryType = 'blob';
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  /** What the client sent, decoded, oldest first. */
  readonly sent: unknown[][] = [];
  /** The code with which the client closed. */
  closedWith: number | undefined;

  constructor(
    readonly url: string,
    readonly protocols: readonly string[],
  ) {}

  send(bytes: Uint8Array): void {
    this.sent.push(decodeFrame(bytes) as unknown[]);
  }

  close(code?: number): void {
    this.closedWith = code;
  }

  // The other side.

  open(): void {
    this.onopen?.();
  }

  deliver(...frames: ServerFrame[]): void {
    for (const frame of frames) this.deliverBytes(packr.pack(frame));
  }

  deliverBatch(...frames: ServerFrame[]): void {
    this.deliverBytes(packr.pack([0, frames]));
  }

  deliverBytes(bytes: Uint8Array): void {
    const copy = new Uint8Array(bytes);
    this.onmessage?.({ data: copy.buffer });
  }

  lose(code: number, reason = ''): void {
    this.onclose?.({ code, reason });
  }

  /** The last frame of a type that the client sent. */
  last(type: number): unknown[] {
    const frame = this.sent.findLast((sent) => sent[0] === type);
    if (frame === undefined) throw new Error(`the client sent no frame of type ${type}`);
    return frame;
  }

  countOf(type: number): number {
    return this.sent.filter((sent) => sent[0] === type).length;
  }
}

export interface ScriptedNetwork {
  readonly sockets: ScriptedSocket[];
  readonly WebSocket: SocketConstructor;
  /** The newest socket. */
  readonly socket: ScriptedSocket;
}

export function scriptedNetwork(): ScriptedNetwork {
  const sockets: ScriptedSocket[] = [];
  class NetworkSocket extends ScriptedSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      sockets.push(this);
    }
  }
  return {
    sockets,
    WebSocket: NetworkSocket,
    get socket() {
      const newest = sockets.at(-1);
      if (newest === undefined) throw new Error('the client has opened no socket');
      return newest;
    },
  };
}
