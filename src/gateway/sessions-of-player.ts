/** How many sessions a player, or an overlay key, has at once in this process: one too many ends the oldest. */

import type { Principal } from './principal.js';

export class SessionsOfPlayer {
  /** By owner, each from the oldest to the newest. */
  private readonly sessions = new Map<string, Set<() => void>>();

  /** `max`: of one owner, at least 1. */
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
    if (own.size > this.max && oldest !== undefined) {
      own.delete(oldest);
      oldest();
    }
    return leave;
  }
}

/** A player and a key may have the same id. */
function ownerOf({ playerId, keyId }: Principal): string | null {
  if (keyId !== null) return `key ${keyId}`;
  return playerId === null ? null : `player ${playerId}`;
}
