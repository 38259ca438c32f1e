/** Results that a tag in memory remembers, so that each counts once: their hashes, by the hour in which their match ended. */

import { BIRTH_GRACE_MS, type ResultIdentity } from '../ranking.js';

const HOUR_MS = 3_600_000;

export class KnownResults {
  private readonly hours = new Map<number, Set<string>>();

  /** `birth` by the clock that `judge` is told, epoch milliseconds. */
  constructor(
    private readonly birth: number,
    private readonly dedupMs: number,
  ) {}

  /** Tells copies, and what may be one that is not remembered; remembers all others. */
  judge({ hash, achievedAt }: ResultIdentity, now: number): 'new' | 'duplicate' | 'late' {
    if (achievedAt < now - this.dedupMs || achievedAt < this.birth + BIRTH_GRACE_MS) return 'late';
    const hashes = this.hashesOf(Math.floor(achievedAt / HOUR_MS));
    if (hashes.has(hash)) return 'duplicate';
    hashes.add(hash);
    return 'new';
  }

  /** Drops hours of which every result is late, and one more lest a clock that is set back finds them gone. */
  forget(now: number): void {
    const kept = Math.floor((now - this.dedupMs) / HOUR_MS) - 1;
    for (const hour of this.hours.keys()) if (hour < kept) this.hours.delete(hour);
  }

  private hashesOf(hour: number): Set<string> {
    const known = this.hours.get(hour);
    if (known !== undefined) return known;
    const hashes = new Set<string>();
    this.hours.set(hour, hashes);
    return hashes;
  }
}
