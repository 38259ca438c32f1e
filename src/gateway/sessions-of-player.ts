/** How many sessions a player, or an overlay key, has at once in this process: one too many ends the oldest. */

import { MultiMap } from '../domain/multi-map.js';
import type { Principal } from './principal.js';

/**
 * A player has a few devices; a key is on every screen of a venue and on every machine of a stream, and a screen that is closed for
 * it stays dark, as 4409 is not to be retried. A key that has leaked is for the limits of addresses, and to be revoked.
 */
const KEY_FACTOR = 10;

export interface AdmittedSession {
  /** It has become the oldest of too many, and is not counted any more. */
  replaced(): void;
}

export class SessionsOfPlayer {
  private readonly ofPlayers = new MultiMap<string, AdmittedSession>();
  private readonly ofKeys = new MultiMap<string, AdmittedSession>();

  /** `max`: of one player, at least 1; a key has ten times as many. */
  constructor(private readonly max: number) {}

  /** Counts a session until it leaves or is replaced. Sessions of nobody are not counted. */
  admit({ playerId, keyId }: Principal, session: AdmittedSession): void {
    if (keyId !== null) admitOne(this.ofKeys, keyId, session, this.max * KEY_FACTOR);
    else if (playerId !== null) admitOne(this.ofPlayers, playerId, session, this.max);
  }

  /** Harmless for one that is not counted. */
  leave({ playerId, keyId }: Principal, session: AdmittedSession): void {
    if (keyId !== null) this.ofKeys.delete(keyId, session);
    else if (playerId !== null) this.ofPlayers.delete(playerId, session);
  }
}

function admitOne(
  sessions: MultiMap<string, AdmittedSession>,
  owner: string,
  session: AdmittedSession,
  max: number,
): void {
  sessions.add(owner, session);
  const own = sessions.get(owner);
  const [oldest] = own;
  if (own.length <= max || oldest === undefined) return;
  sessions.delete(owner, oldest);
  oldest.replaced();
}
