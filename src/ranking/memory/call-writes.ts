/** What one call writes: to the board that is shown, noting the changes, and the same to a fill under way. */

import type { Change } from '../../domain/change.js';
import type { ScoredResult, TagList } from '../ranking.js';
import type { Generation } from './generation.js';
import type { RowMove } from './ranked-list.js';

export interface WrittenGenerations {
  /** `null` where no board is shown that this call may write. */
  readonly shown: Generation | null;
  readonly fill: Generation | null;
}

export class CallWrites {
  /** Of the board that is shown: those of a fill are nobody's news. */
  readonly changes: Change[] = [];

  /** `now` is epoch milliseconds; lists that are past then are not written. */
  constructor(
    private readonly generations: WrittenGenerations,
    readonly now: number,
  ) {}

  /** Merges a result into each of its lists; answers whether an entry changed in any. */
  merge({ playerId, score, lists, at }: ScoredResult): boolean {
    const { shown, fill } = this.generations;
    let isChanged = false;
    for (const list of lists) {
      const move = shown?.merge(list, playerId, score, this.now) ?? null;
      const filled = fill?.merge(list, playerId, score, this.now) ?? null;
      this.note(list, playerId, move, { at, label: null });
      // What is shown decides, and the fill where nothing is shown.
      if ((shown === null ? filled : move) !== null) isChanged = true;
    }
    return isChanged;
  }

  /** Makes a packed score the player's row in a list, whatever it was, or takes the row away (`null`). */
  put(list: TagList, playerId: string, score: number | null, cause: Pick<Change, 'at' | 'label'>): void {
    const { shown, fill } = this.generations;
    this.note(list, playerId, shown?.put(list, playerId, score, this.now) ?? null, cause);
    fill?.put(list, playerId, score, this.now);
  }

  private note(list: TagList, playerId: string, move: RowMove | null, cause: Pick<Change, 'at' | 'label'>): void {
    if (move !== null) this.changes.push({ list: list.name, playerId, ...move, ...cause });
  }
}
