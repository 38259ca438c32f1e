/** One client as a user has it, by the SDK: its windows, and the bad connection that it is given. */

import { WebSocket } from 'ws';
import { type Client, createClient, type SocketConstructor } from '../client/index.js';
import type { ListSpec } from './lists.js';
import type { Truth } from './truth.js';
import { WINDOW_KINDS } from './windows/kinds.js';
import type { Difference, WatchedWindow } from './windows/window-kind.js';

export interface WatcherOptions {
  readonly url: string;
  readonly playerId: string;
  readonly sign: (playerId: string) => Promise<string>;
  readonly lists: readonly ListSpec[];
  readonly topSize: number;
  readonly anyPlayer: () => string;
  readonly random: () => number;
  /** Default: the class of the `ws` package. */
  readonly Socket?: typeof WebSocket;
}

export interface Mismatch extends Difference {
  readonly playerId: string;
  readonly window: string;
}

export class Watcher {
  /** Frames that its windows applied. */
  frames = 0;
  /** What the server refused it for good, and what it could not read. */
  readonly refusals: string[] = [];
  readonly windows: readonly WatchedWindow[];
  private readonly client: Client;
  private readonly sockets = new Set<WebSocket>();
  private readonly stalls = new Set<NodeJS.Timeout>();

  /** Connects. */
  constructor(private readonly options: WatcherOptions) {
    const { url, playerId, sign, lists, topSize, anyPlayer, random, Socket = WebSocket } = options;
    this.client = createClient({ url, getToken: () => sign(playerId), WebSocket: trackedSocket(Socket, this.sockets) });
    this.client.on('error', (error) => {
      if (!error.retryable) this.refusals.push(error.message);
    });
    this.windows = WINDOW_KINDS.map((open) => {
      const list = lists[Math.floor(random() * lists.length)];
      if (list === undefined) throw new Error('a board has the list of its season at least');
      return open({ client: this.client, playerId, list, topSize, anyPlayer, random });
    });
    for (const { view } of this.windows) {
      view.on('frame', () => {
        this.frames += 1;
      });
    }
  }

  /** Resolves when every window shows something. */
  async ready(): Promise<void> {
    await Promise.all(this.windows.map(({ view }) => view.ready()));
  }

  /** The connection is lost, and the SDK notices. */
  disconnect(): void {
    for (const socket of this.sockets) socket.terminate();
  }

  /** Goes away in order and comes back. */
  reopen(): void {
    this.client.close();
    this.client.connect();
  }

  /** Reads nothing from its sockets for a while: what is pushed meanwhile piles up on the way. */
  stall(forMs: number): void {
    const sockets = [...this.sockets];
    for (const socket of sockets) socket.pause();
    const timer = setTimeout(() => {
      this.stalls.delete(timer);
      for (const socket of sockets) socket.resume();
    }, forMs);
    this.stalls.add(timer);
  }

  /** Reads again, and connects now where it waits for its next try. */
  attend(): void {
    for (const timer of this.stalls) clearTimeout(timer);
    this.stalls.clear();
    for (const socket of this.sockets) socket.resume();
    if (this.client.state !== 'live') this.client.connect();
  }

  /** One for each window that does not show what it should, and for what must never be. */
  mismatches(truth: Truth): Mismatch[] {
    const { playerId } = this.options;
    const wrong = this.windows.flatMap((window) => {
      const difference = window.difference(truth);
      return difference === null ? [] : [{ playerId, window: window.name, ...difference }];
    });
    const [refusal] = this.refusals;
    if (refusal !== undefined) {
      wrong.push({ playerId, window: 'all', place: 'connection', expected: 'no refusal', shown: refusal });
    }
    const { checksums } = this.client.resyncs;
    if (checksums > 0) {
      const shown = `${checksums} windows that had all frames and were wrong`;
      wrong.push({ playerId, window: 'all', place: 'checksum', expected: 'windows that agree with SYNC', shown });
    }
    return wrong;
  }

  close(): void {
    for (const timer of this.stalls) clearTimeout(timer);
    this.client.close();
  }
}

function trackedSocket(Socket: typeof WebSocket, sockets: Set<WebSocket>): SocketConstructor {
  return class extends Socket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { perMessageDeflate: false });
      sockets.add(this);
      this.once('close', () => sockets.delete(this));
    }
  };
}
