/** The windows of one session: each keeps what it has to say as state, and writes it when the outbox asks. */

import type { SubscribeStart } from '../../proto/frames.js';
import type { TrackedPlayer } from '../views/tracked-player.js';
import type { BoardHub } from './board-hub.js';
import type { RefusedError } from './refusal.js';
import type { WindowRequest } from './window-request.js';

export type { TrackedPlayer } from '../views/tracked-player.js';

/** What all windows of a session have. */
export interface SessionWindow {
  readonly topic: number;
  readonly hub: BoardHub;
  readonly kind: WindowRequest['kind'];
  /** Whether it is what a request to this hub asks for. */
  isFor(hub: BoardHub, request: WindowRequest): boolean;
  readonly priority: number;
  /** Shared by sessions: its changes are paced for all of them together. */
  readonly isShared: boolean;
  /** Where the window stands, as its client sees it. */
  readonly epoch: number;
  readonly seq: number;
  /** What there is to say, in order; a SYNC last, where one was asked for and the client then shows what it is about. */
  collect(frames: Uint8Array[]): void;
  /**
   * Begins anew for a client that shows the window at this position (`null`s: it shows none). The answer is what the next
   * `collect` gives: a snapshot, nothing, or a delta.
   */
  begin(epoch: number | null, seq: number | null): SubscribeStart;
  /** The next `collect` gives a snapshot. */
  invalidate(): void;
  /** When its next SYNC is due, `performance.now()` in whole milliseconds; `Subscriptions` keeps to it. */
  syncAt: number;
  /** Asks for a SYNC with the next `collect` that may give one. */
  sync(): void;
  close(): void;
}

/** A window of players whom others move. */
export interface MovingWindow extends SessionWindow {
  /** The next `collect` gives also what others moved until now; without this call it waits. */
  takeMoves(): void;
}

/** Whose windows they are. */
export interface WindowOwner {
  /**
   * Something waits in the window. `newestAt`: broker time of the change, where one player's change caused it: it goes out at once.
   * `null`: sessions spread it over so long, by default 240 ms.
   */
  pending(window: SessionWindow, newestAt: number | null, spreadMs?: number): void;
  /** The window ends: what it shows is gone. */
  ended(window: SessionWindow, why: RefusedError): void;
}

/** Whose windows of players they are. */
export interface MovingWindowOwner extends WindowOwner {
  /** Others moved somebody in the window. */
  moved(window: MovingWindow): void;
}

/** Topics of windows that are a session's own begin here; shared windows are numbered below, by the gateway. */
export const FIRST_OWN_TOPIC = 2 ** 31;

/** Own rank first, then friends, neighbours, and then what everybody sees. */
export const WindowPriority = { me: 0, friends: 1, around: 2, top: 3 } as const;

/** The newest broker time among players, for a frame's `at`. */
export function newestAt(players: readonly TrackedPlayer[]): number {
  let newest = 0;
  for (const player of players) if (player.at !== null && player.at > newest) newest = player.at;
  return newest === 0 ? Date.now() : newest;
}
