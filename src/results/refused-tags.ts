/** Boards that cannot go on until a person has done something: each is told once and asked again now and then, and holds up no other. */

import type { Logger } from 'pino';
import type { BoardSeason } from '../domain/board-season.js';

interface Refusal {
  /** Why, and what to do. */
  readonly sentence: string;
  /** Epoch milliseconds. */
  readonly askedAt: number;
}

const ASK_EVERY_MS = 1_000;
/** A reason for not being ready is read by a person. */
const MAX_SENTENCES = 2;

export class RefusedTags {
  private readonly refusals = new Map<BoardSeason, Refusal>();

  constructor(private readonly logger: Pick<Logger, 'error' | 'info'>) {}

  has(tag: BoardSeason): boolean {
    return this.refusals.has(tag);
  }

  /** Whether whoever calls may ask the tag now; of several partitions one does. `now`: epoch milliseconds. */
  takeTurn(tag: BoardSeason, now: number): boolean {
    const refusal = this.refusals.get(tag);
    if (refusal === undefined) return true;
    // Also where the clock was set back, however far.
    if (Math.abs(now - refusal.askedAt) < ASK_EVERY_MS) return false;
    this.refusals.set(tag, { ...refusal, askedAt: now });
    return true;
  }

  refuse(tag: BoardSeason, sentence: string, now: number): void {
    if (this.refusals.get(tag)?.sentence !== sentence) this.logger.error({ tag: tag.name }, sentence);
    this.refusals.set(tag, { sentence, askedAt: now });
  }

  accept(tag: BoardSeason): void {
    if (this.refusals.delete(tag)) this.logger.info({ tag: tag.name }, 'the board takes results again');
  }

  /** Why some of these tags do not go on; `undefined`: all do. */
  describe(tags: readonly BoardSeason[]): string | undefined {
    const sentences = tags.flatMap((tag) => this.refusals.get(tag)?.sentence ?? []);
    if (sentences.length === 0) return undefined;
    const more = sentences.length - MAX_SENTENCES;
    const rest = more > 0 ? [`and ${more} more boards, which the log names`] : [];
    return [...sentences.slice(0, MAX_SENTENCES), ...rest].join('; ');
  }
}
