/** A player's socket that shows his friends and the top, and whose reader stops. */

import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { Capability, FrameType, ResyncWhy, type ServerFrame, WindowKind } from '../../../proto/frames.js';
import { PlacedWindow } from '../../../src/client/placed-window.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { UnplacedWindow } from '../../../src/client/unplaced-window.js';
import { encodeFrame } from '../../../src/wire/encode.js';
import type { ShownRank } from '../../lib/expected-board.js';
import { HeldConnection } from '../gateway/held-connection.js';
import { CatchUp, type CaughtFrame } from './catch-up.js';

const FRIENDS_REQUEST = 1;
const TOP_REQUEST = 2;

export class StallingSocket {
  readonly connection: HeldConnection;
  /** `null` while it is open. */
  closeCode: number | null = null;
  /** Of a reader that goes on. */
  catchUp: CatchUp | null = null;
  /** What went wrong beside a close. */
  failure: string | null = null;
  private readonly socket: WebSocket;
  private readonly friends = new UnplacedWindow();
  private readonly top = new PlacedWindow();
  private readonly windows = new Map<number, UnplacedWindow | PlacedWindow>();
  private readonly shown: Promise<void>;

  constructor(url: string, token: string) {
    const { hostname, port } = new URL(url);
    this.connection = new HeldConnection(Number(port), hostname);
    this.socket = new WebSocket(url, 'rankcast.v1.msgpack', {
      perMessageDeflate: false,
      createConnection: () => this.connection as unknown as Socket,
    });
    this.socket.binaryType = 'nodebuffer';
    this.socket.on('open', () => {
      const caps = Capability.batch | Capability.delta;
      this.socket.send(encodeFrame([FrameType.hello, token, 'bench/1.0', caps, null]));
    });
    this.shown = new Promise((resolve, reject) => {
      this.socket.on('message', (bytes: Buffer) => {
        this.receive(bytes);
        if (this.friends.hasState && this.top.hasState) resolve();
        if (this.failure !== null) reject(new Error(this.failure));
      });
      this.socket.on('error', reject);
      this.socket.on('close', (code) => {
        this.closeCode = code;
        reject(new Error(`closed with ${code}`));
      });
    });
    this.shown.catch(() => undefined);
  }

  /** Resolves when both windows show something. */
  open(): Promise<void> {
    return this.shown;
  }

  /** Nothing is read from now on, and what was kept until now is looked at. */
  stop(): void {
    this.connection.letGo();
    this.connection.stopReading();
  }

  /** Asks for both windows anew: who does that and does not read is soon sent no more. */
  askAnew(): void {
    for (const [topic, { position }] of this.windows) {
      if (position === null) continue;
      this.socket.send(encodeFrame([FrameType.resync, topic, position.epoch, position.seq, ResyncWhy.gap]));
    }
  }

  /** Reads again; what comes is kept until it is let go. `presentFrom`: as `CatchUp` takes it. */
  goOn(presentFrom: number): void {
    this.catchUp = new CatchUp(this.windows.keys(), presentFrom);
    this.connection.hold();
    this.connection.goOnReading();
  }

  friendEntries(): readonly ShownRank[] {
    return this.friends.read(false).entries;
  }

  topEntries(): readonly ShownRank[] {
    return this.top.read(false).entries;
  }

  close(): void {
    this.socket.terminate();
  }

  private receive(bytes: Buffer): void {
    const caught = readFrames(bytes).flatMap((frame) => this.apply(frame) ?? []);
    this.catchUp?.message(bytes.byteLength, caught);
  }

  private apply(frame: ServerFrame): CaughtFrame | null {
    switch (frame[0]) {
      case FrameType.welcome:
        this.socket.send(encodeFrame([FrameType.subscribe, FRIENDS_REQUEST, WindowKind.friends, 'arena', []]));
        this.socket.send(encodeFrame([FrameType.subscribe, TOP_REQUEST, WindowKind.top, 'arena', []]));
        return null;
      case FrameType.subscribed:
        this.windows.set(frame[2], frame[1] === FRIENDS_REQUEST ? this.friends : this.top);
        return null;
      case FrameType.error:
      case FrameType.unsubscribed:
        this.failure ??= `the server refused: ${String(frame[3])}`;
        return null;
      case FrameType.snapshot:
      case FrameType.delta: {
        const answer = this.windows.get(frame[1])?.apply(frame, null);
        if (answer === 'gap') this.failure ??= 'a gap';
        return {
          topic: frame[1],
          at: frame[0] === FrameType.snapshot ? frame[7] : frame[8],
          isWhole: answer !== 'partial',
        };
      }
      default:
        return null;
    }
  }
}
