/**
 * A player's socket that watches his friends and nothing else, with as little around the frames as exactness allows: the
 * generator shares its cores with the server, and the SDK's views and listeners would be a good part of what is measured.
 */

import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { Capability, FrameType, WindowKind } from '../../../proto/frames.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { UnplacedWindow } from '../../../src/client/unplaced-window.js';
import type { ShownRow } from '../../../src/client/window.js';
import { encodeFrame } from '../../../src/wire/encode.js';
import type { ShownCursor, ShownRecorder } from '../../lib/due-results.js';
import { HeldConnection } from './held-connection.js';

/** What all sockets of a run have received. */
export interface Received {
  messages: number;
  /** Of players, in snapshots and deltas: those with a result, and those whom others moved. */
  rows: number;
  bytes: number;
}

export interface FriendSocketOptions {
  /** `ws://...` of the socket. */
  readonly url: string;
  readonly token: string;
  /** One for each row of the window. */
  readonly cursors: ReadonlyMap<string, ShownCursor>;
  readonly recorder: ShownRecorder;
  readonly received: Received;
}

export class FriendSocket {
  readonly connection: HeldConnection;
  private readonly socket: WebSocket;
  private readonly window = new UnplacedWindow();
  private readonly rows: ShownRow[] = [];
  private whole: () => void = () => undefined;
  private readonly becomesWhole = new Promise<void>((resolve) => {
    this.whole = resolve;
  });
  /** What the server said instead of a window. */
  private refused: string | null = null;

  constructor(private readonly options: FriendSocketOptions) {
    const { hostname, port } = new URL(options.url);
    this.connection = new HeldConnection(Number(port), hostname);
    this.socket = new WebSocket(options.url, 'rankcast.v1.msgpack', {
      perMessageDeflate: false,
      createConnection: () => this.connection as unknown as Socket,
    });
    this.socket.binaryType = 'nodebuffer';
    this.socket.on('message', (bytes: Buffer) => this.receive(bytes));
    this.socket.on('open', () => {
      const caps = Capability.batch | Capability.delta;
      this.socket.send(encodeFrame([FrameType.hello, options.token, 'bench/1.0', caps, null]));
    });
    this.socket.on('error', (error) => this.refuse(error.message));
    this.socket.on('close', (code) => this.refuse(`closed with ${code}`));
  }

  /** Resolves when the window is whole. */
  async open(): Promise<void> {
    await this.becomesWhole;
    if (this.refused !== null) throw new Error(`the server refused a window: ${this.refused}`);
  }

  /** (result, window) pairs that no frame has shown. */
  get unshown(): number {
    return [...this.options.cursors.values()].reduce((sum, cursor) => sum + cursor.unshown, 0);
  }

  entries() {
    return this.window.read(false).entries;
  }

  close(): void {
    this.socket.terminate();
  }

  private refuse(why: string): void {
    this.refused ??= why;
    this.whole();
  }

  private receive(bytes: Buffer): void {
    const shownAtMs = performance.now();
    const { received, cursors, recorder } = this.options;
    received.messages += 1;
    received.bytes += bytes.byteLength;
    for (const frame of readFrames(bytes)) {
      switch (frame[0]) {
        case FrameType.welcome:
          this.socket.send(encodeFrame([FrameType.subscribe, 1, WindowKind.friends, 'arena', []]));
          break;
        case FrameType.error:
        case FrameType.unsubscribed:
          this.refuse(String(frame[3]));
          break;
        case FrameType.snapshot:
        case FrameType.delta: {
          this.rows.length = 0;
          if (this.window.apply(frame, this.rows) === 'gap') this.refuse('a gap');
          received.rows += this.rows.length;
          for (const { playerId, score } of this.rows) {
            if (playerId !== null && score !== null) cursors.get(playerId)?.show(score, shownAtMs, recorder);
          }
          if (this.window.position !== null) this.whole();
          break;
        }
        default:
          break;
      }
    }
  }
}
