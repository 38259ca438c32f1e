/** How many sessions a player, or an overlay key, has at once in this process: one too many ends the oldest. */

import type { Principal } from './principal.js';

/**
 * A player has a few devices; a key is on every screen of a venue and on every machine of a stream, and a screen that is closed for
 * it stays dark, as 4409 is not to be retried. A key that has leaked is for the limits of addresses, and to be revoked.
 */
const KEY_FACTOR = 10;

export class SessionsOfPlayer {
  /** By owner, each from the oldest to the newest. */
  private readonly sessions = new Map<string, Set<() => void>>();

  /** `max`: of one player, at least 1; a key has ten times as many. */
  constructor(private readonly max: number) {}

  /**
   * Counts a session until the answered function is called, which is harmless twice. `onReplaced` is called at most once: it has
   * become the oldest of too many, and is not counted any more. Sessions of nobody are not counted.
   */
  admit(principal: Principal, onReplaced: () => void): () => void {
    const owner = ownerOf(principal);
    if (owner === null) return () => {};
    const own = this.sessions.get(owner) ?? new Set();
    this.sessions.set(owner, own);
    // One object a session, so that two sessions with the same function are two.
    const session = (): void => onReplaced();
    own.add(session);
    const leave = (): void => {
      own.delete(session);
      if (own.size === 0 && this.sessions.get(owner) === own) this.sessions.delete(owner);
    };
    const [oldest] = own;
    if (own.size > this.maxOf(principal) && oldest !== undefined) {
      own.delete(oldest);
      oldest();
    }
    return leave;
  }

  private maxOf({ keyId }: Principal): number {
    return keyId === null ? this.max : this.max * KEY_FACTOR;
  }
}

/** A player and a key may have the same id. */
function ownerOf({ playerId, keyId }: Principal): string | null {
  if (keyId !== null) return `key ${keyId}`;
  return playerId === null ? null : `player ${playerId}`;
}
