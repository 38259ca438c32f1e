/** The windows of one session: each keeps what it has to say as state, and writes it when the outbox asks. */

import type { TrackedPlayer } from '../views/tracked-player.js';

export type { TrackedPlayer } from '../views/tracked-player.js';

/** What all windows of a session have. */
export interface SessionWindow {
  readonly topic: number;
  /** The same for two subscriptions that ask for the same. */
  readonly key: string;
  readonly priority: number;
  /** Shared by sessions: its changes are paced for all of them together. */
  readonly isShared: boolean;
  /** The position that the client reached with what was collected. */
  readonly seq: number;
  collect(frames: Uint8Array[]): void;
  /** The next `collect` gives a snapshot. */
  invalidate(): void;
  close(): void;
}

/** Own rank first, then friends, then what everybody sees. */
export const WindowPriority = { me: 0, friends: 1, top: 2 } as const;

/** The newest broker time among players, for a frame's `at`. */
export function newestAt(players: Iterable<TrackedPlayer>): number {
  let newest = 0;
  for (const player of players) if (player.at !== null && player.at > newest) newest = player.at;
  return newest === 0 ? Date.now() : newest;
}
