/** A fill under way in memory: the generation that it makes, and what of truth has come so far. */

import { RankcastError } from '../../domain/errors.js';
import { addToSum, EMPTY_SUM } from '../../domain/fill-entry.js';
import type { FillEntry, FillSum } from '../ranking.js';
import { Generation } from './generation.js';
import type { TagLedger } from './tag-ledger.js';

/** What a fill brought is not what was sent, and will not be shown: to be begun again. */
export class FillMismatchError extends RankcastError {
  readonly isRetryable = true;
}

export class TagFill {
  readonly generation: Generation;
  /** Whose entries were written whole meanwhile: what a chunk brings of them is in there already. */
  private readonly settledPlayers = new Set<string>();
  private chunks = 0;
  private sum = EMPTY_SUM;

  /** `ledger`: by which submits merge into it. */
  constructor(
    readonly jobId: string,
    readonly ledger: TagLedger,
  ) {
    this.generation = new Generation(ledger.definition.merge);
  }

  /** The player's entries were written whole. */
  leaveOut(playerId: string): void {
    this.settledPlayers.add(playerId);
  }

  /** Merges a checked chunk: live results may stand there already. Throws FillMismatchError where it is out of turn. */
  load(index: number, entries: readonly FillEntry[], now: number): void {
    // The answer to the last chunk was lost and the caller sends it again.
    if (index === this.chunks - 1) return;
    if (index !== this.chunks) {
      throw new FillMismatchError(`chunk ${index} came where ${this.chunks} was expected: begin the fill again`);
    }
    for (const { list, playerId, score } of entries) {
      if (this.ledger.hidden.has(playerId) || this.settledPlayers.has(playerId)) continue;
      this.generation.merge(list, playerId, score, now);
    }
    this.chunks += 1;
    this.sum = addToSum(this.sum, entries);
  }

  /** Throws FillMismatchError where something is missing, or came otherwise than it was sent. */
  checkWhole(chunks: number, { entries, checksum }: FillSum): void {
    if (chunks !== this.chunks) {
      throw new FillMismatchError(`${this.chunks} of ${chunks} chunks were loaded: begin the fill again`);
    }
    if (entries === this.sum.entries && checksum === this.sum.checksum) return;
    throw new FillMismatchError(
      `${this.sum.entries} entries with checksum ${this.sum.checksum} were loaded where ${entries} with ${checksum} ` +
        'were sent: begin the fill again',
    );
  }
}
