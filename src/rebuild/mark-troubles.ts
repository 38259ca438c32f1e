/** Marks that could not be settled: each is tried again later, so that it holds up no others, and is told of once. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';
import { RankcastError } from '../domain/errors.js';
import type { Mark } from '../domain/marks.js';

const WAIT_MS = 2_000;
/** Wait by try: a fold that always takes too long gets a tenth of the time, and the others the rest. */
const WAIT_BY_TRY = 10;

interface Trouble {
  /** By `performance.now()`. */
  readonly againAt: number;
  /** Whether time may mend it. */
  readonly isRetryable: boolean;
}

export class MarkTroubles {
  /** By tag and mark id. */
  private readonly tags = new Map<string, Map<string, Trouble>>();

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn'>) {}

  isDue({ name }: BoardSeason, { markId }: Mark): boolean {
    return performance.now() >= (this.tags.get(name)?.get(markId)?.againAt ?? Number.NEGATIVE_INFINITY);
  }

  /** `tookMs`: how long the try took. What time may mend is told of the first mark of a tag; what only a person can, of each. */
  add({ name }: BoardSeason, { markId, playerId }: Mark, error: unknown, tookMs: number): void {
    const troubles = this.tags.get(name) ?? new Map<string, Trouble>();
    const isRetryable = !(error instanceof RankcastError) || error.isRetryable;
    const details = { err: error, tag: name, playerId };
    if (!isRetryable && !troubles.has(markId)) this.logger.error(details, 'a marked player keeps his old entries');
    if (isRetryable && ![...troubles.values()].some((one) => one.isRetryable))
      this.logger.warn(details, 'marked players wait: their entries cannot be settled');
    troubles.set(markId, { againAt: performance.now() + Math.max(WAIT_MS, WAIT_BY_TRY * tookMs), isRetryable });
    this.tags.set(name, troubles);
  }

  /** Of the tag's marks only these are left: what was settled or replaced is no trouble any more. */
  keepOnly({ name }: BoardSeason, marks: readonly Mark[]): void {
    const troubles = this.tags.get(name);
    if (troubles === undefined) return;
    const left = new Set(marks.map(({ markId }) => markId));
    for (const markId of troubles.keys()) if (!left.has(markId)) troubles.delete(markId);
    if (troubles.size === 0) this.tags.delete(name);
  }
}
