/** A player's socket that watches his own rank and his friends, and then is left alone. */

import { WebSocket } from 'ws';
import { Capability, FrameType, WindowKind } from '../../../proto/frames.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { encodeFrame } from '../../../src/wire/encode.js';

export class QuietSocket {
  private readonly socket: WebSocket;
  private readonly shown: Promise<void>;

  constructor(url: string, token: string) {
    this.socket = new WebSocket(url, 'rankcast.v1.msgpack', { perMessageDeflate: false });
    this.socket.binaryType = 'nodebuffer';
    const caps = Capability.batch | Capability.delta;
    this.socket.on('open', () => {
      this.socket.send(encodeFrame([FrameType.hello, token, 'bench/1.0', caps, null]));
    });
    this.shown = new Promise((resolve, reject) => {
      const missing = new Set<number>([FrameType.rank, FrameType.snapshot]);
      this.socket.on('message', (bytes: Buffer) => {
        for (const frame of readFrames(bytes)) {
          if (frame[0] === FrameType.welcome) this.subscribe();
          if (frame[0] === FrameType.error) reject(new Error(`the server refused: ${frame[3]}`));
          missing.delete(frame[0]);
          if (missing.size === 0) resolve();
        }
      });
      this.socket.on('error', reject);
      this.socket.on('close', (code) => reject(new Error(`closed with ${code}`)));
    });
    this.shown.catch(() => undefined);
  }

  /** Resolves when both windows show something. */
  open(): Promise<void> {
    return this.shown;
  }

  close(): void {
    this.socket.terminate();
  }

  private subscribe(): void {
    this.socket.send(encodeFrame([FrameType.subscribe, 1, WindowKind.me, 'arena', []]));
    this.socket.send(encodeFrame([FrameType.subscribe, 2, WindowKind.friends, 'arena', []]));
  }
}
