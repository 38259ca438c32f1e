/** One player's socket: an SDK client that watches friends, own rank and the top, counts what comes and tells what it shows. */

import { WebSocket } from 'ws';
import {
  type Client,
  createClient,
  type FriendEntry,
  type MyRankState,
  type RankedEntry,
  type SocketConstructor,
  type View,
  type WindowState,
} from '../../src/client/index.js';
import type { ShownCursor, ShownRecorder } from './due-results.js';
import { type ExpectedBoard, findDifference } from './expected-board.js';

/** Shared by all viewers of a run. */
export class Traffic {
  /** Frames applied by windows; a BATCH counts as the frames in it. */
  frames = 0;
  messages = 0;
  bytes = 0;
  /** Connections that were lost. */
  losses = 0;
  readonly errors: string[] = [];
}

export interface ViewerOptions {
  readonly url: string;
  readonly boardId: string;
  /** How many rows the board's top window has at most. */
  readonly topSize: number;
  readonly watchesTop: boolean;
  readonly playerId: string;
  readonly token: string;
  readonly friendIds: readonly string[];
  /** One for each row of the friends window: the friends and the player himself. */
  readonly friendCursors: ReadonlyMap<string, ShownCursor>;
  readonly ownCursor: ShownCursor;
  readonly pushes: ShownRecorder;
  readonly ownRanks: ShownRecorder;
  readonly Socket: SocketConstructor;
  readonly traffic: Traffic;
}

export class Viewer {
  private readonly options: ViewerOptions;
  private readonly client: Client;
  private readonly friends: View<WindowState<FriendEntry>>;
  private readonly me: View<MyRankState>;
  /** `null` where this viewer does not watch it. */
  private readonly top: View<WindowState<RankedEntry>> | null;

  /** Connects. */
  constructor(options: ViewerOptions) {
    const { url, boardId, token, Socket, traffic } = options;
    this.options = options;
    this.client = createClient({ url, getToken: () => token, WebSocket: Socket });
    this.client.on('state', (state) => {
      if (state === 'resuming') traffic.losses += 1;
    });
    this.client.on('error', (error) => void traffic.errors.push(error.message));
    this.me = this.client.me(boardId);
    this.friends = this.client.friends(boardId);
    this.top = options.watchesTop ? this.client.top(boardId) : null;
    this.listen();
  }

  /** Resolves when every window shows something. */
  async ready(): Promise<void> {
    await Promise.all([this.me.ready(), this.friends.ready(), this.top?.ready()]);
  }

  /** The first difference from the board in words, `null` where its windows show exactly what it says. */
  differenceFrom(board: ExpectedBoard): string | null {
    const { playerId, friendIds, topSize } = this.options;
    const [friends, me, top] = [this.friends.current, this.me.current, this.top?.current];
    if (friends === null || me === null || top === null) return 'a window shows nothing';
    if (friends.stale || me.stale || top?.stale === true) return 'a window is stale';
    const own = { playerId, rank: me.rank, score: me.score };
    const windows = [
      ['friends', findDifference(friends.entries, board.rowsOf([...friendIds, playerId]))],
      ['me', findDifference([own], board.rowsOf([playerId]))],
      ['top', top === undefined ? null : findDifference(top.entries, board.rows.slice(0, topSize))],
    ] as const;
    const wrong = windows.find(([, difference]) => difference !== null);
    return wrong === undefined ? null : `${playerId}, window ${wrong[0]}: ${wrong[1]}`;
  }

  close(): void {
    this.client.close();
  }

  private listen(): void {
    const { friendCursors, ownCursor, pushes, ownRanks, traffic } = this.options;
    this.friends.on('frame', ({ rows }) => {
      const shownAtMs = performance.now();
      traffic.frames += 1;
      for (const { playerId, score } of rows) {
        if (playerId !== null && score !== null) friendCursors.get(playerId)?.show(score, shownAtMs, pushes);
      }
    });
    this.me.on('frame', ({ rows }) => {
      const shownAtMs = performance.now();
      traffic.frames += 1;
      for (const { score } of rows) if (score !== null) ownCursor.show(score, shownAtMs, ownRanks);
    });
    this.top?.on('frame', () => {
      traffic.frames += 1;
    });
  }
}

/** The `ws` class, with the traffic counted. */
export function countingSocket(traffic: Traffic): SocketConstructor {
  return class extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols, { perMessageDeflate: false });
      this.on('message', (payload) => {
        traffic.messages += 1;
        if (payload instanceof ArrayBuffer) traffic.bytes += payload.byteLength;
      });
    }
  };
}
