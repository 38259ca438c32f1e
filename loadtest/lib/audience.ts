/** All viewers of a run: connected, listened to, and compared with what they must show. */

import { ShownCursor, type ShownRecorder } from './due-results.js';
import type { ExpectedBoard } from './expected-board.js';
import type { WatchedPlayer } from './players.js';
import { progress } from './report.js';
import { countingSocket, Traffic, Viewer } from './viewer.js';

/** Sockets that connect at the same time. */
const CONNECTING = 25;
const SHOWN_DIFFERENCES = 3;

export interface AudienceOptions {
  readonly url: string;
  readonly boardId: string;
  readonly topSize: number;
  /** Of the players, 0 to 1. */
  readonly topShare: number;
  readonly players: readonly WatchedPlayer[];
  /** The friends of each player, by index. */
  readonly friends: readonly (readonly number[])[];
  readonly sign: (playerId: string) => Promise<string>;
  /** Gets (result, friends window that shows its player), the player's own window among them. */
  readonly pushes: ShownRecorder;
  /** Gets (result, own rank of its player). */
  readonly ownRanks: ShownRecorder;
}

export class Audience {
  readonly traffic = new Traffic();
  private readonly options: AudienceOptions;
  private readonly viewers: Viewer[] = [];
  private readonly cursors: ShownCursor[] = [];

  constructor(options: AudienceOptions) {
    this.options = options;
  }

  get size(): number {
    return this.viewers.length;
  }

  /** Resolves when every window of every player shows something; rejects where one is refused or the signal comes first. */
  async connect(signal: AbortSignal): Promise<void> {
    const left = [...this.options.players];
    const Socket = countingSocket(this.traffic);
    const connectAll = async (): Promise<void> => {
      for (let player = left.pop(); player !== undefined; player = left.pop()) {
        signal.throwIfAborted();
        const token = await this.options.sign(player.playerId);
        const viewer = this.newViewer(player, token, Socket);
        this.viewers.push(viewer);
        await viewer.ready();
      }
    };
    await Promise.all(Array.from({ length: CONNECTING }, connectAll));
  }

  /** How many viewers show anything but the board; the first few differences in words. */
  compareWith(board: ExpectedBoard): { readonly mismatched: number; readonly differences: readonly string[] } {
    const all = this.viewers.flatMap((viewer) => viewer.differenceFrom(board) ?? []);
    return { mismatched: all.length, differences: all.slice(0, SHOWN_DIFFERENCES) };
  }

  /** (result, window) pairs of the whole run that no frame has shown yet. */
  countUnshown(): number {
    return this.cursors.reduce((sum, cursor) => sum + cursor.unshown, 0);
  }

  close(): void {
    for (const viewer of this.viewers) viewer.close();
    const { losses, errors } = this.traffic;
    if (losses > 0) progress(`${losses} connections were lost during the run`);
    for (const error of errors.slice(0, SHOWN_DIFFERENCES)) progress(`a client reported: ${error}`);
  }

  private newViewer(player: WatchedPlayer, token: string, Socket: ReturnType<typeof countingSocket>): Viewer {
    const { url, boardId, topSize, topShare, players, friends, pushes, ownRanks } = this.options;
    const own = (friends[player.index] ?? []).flatMap((index) => players[index] ?? []);
    const friendCursors = new Map([...own, player].map((shown) => [shown.playerId, this.newCursor(shown)] as const));
    return new Viewer({
      url,
      boardId,
      topSize,
      watchesTop: player.index < Math.round(topShare * players.length),
      playerId: player.playerId,
      token,
      friendIds: own.map(({ playerId }) => playerId),
      friendCursors,
      ownCursor: this.newCursor(player),
      pushes,
      ownRanks,
      Socket,
      traffic: this.traffic,
    });
  }

  private newCursor(player: WatchedPlayer): ShownCursor {
    const cursor = new ShownCursor(player.due);
    this.cursors.push(cursor);
    return cursor;
  }
}
