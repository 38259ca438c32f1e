/**
 * The first look of a reconcile: all rows of truth at one moment against what the ranking has when they come. It is quick and
 * takes whatever moved meanwhile for different; the second looks (reconcile-looks.ts) know better.
 */

import { type BoardSeason, listRef } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import type { TagList } from '../domain/lists.js';
import { orAborted, pause } from './abortable.js';
import { SeenRows } from './reconcile-seen-rows.js';
import { CHUNK_ROWS, type ListRow, type ReconciledRanking } from './reconcile-stores.js';
import type { FillSource } from './truth-source.js';

/** Between two reads, so that Redis and the database serve players for most of the time. */
const PAUSE_MS = 10;
/** Rows move up while a list is read rank by rank: a page begins with the last ones of the page before. */
const PAGE_OVERLAP = 50;
/** Clocks differ, and a list may end while it is read: near its end it is nobody's concern. */
const ENDING_MS = 600_000;

export interface ComparisonOptions {
  readonly ranking: ReconciledRanking;
  readonly signal?: AbortSignal | undefined;
}

export class TagComparison {
  /** Rows of truth that were looked up. */
  compared = 0;
  private readonly seen = new SeenRows();
  /** How many of truth's rows the ranking has, by list. */
  private readonly present = new Map<string, number>();

  constructor(
    private readonly scope: BoardSeason,
    private readonly options: ComparisonOptions,
  ) {}

  /** Rows that have another score in the ranking than in truth, or none. */
  async *differing(source: FillSource): AsyncIterable<readonly ListRow[]> {
    const hiddenIds = new Set(source.hidden);
    const reader = source.chunks(CHUNK_ROWS)[Symbol.asyncIterator]();
    for (;;) {
      // The first chunk of a long season takes minutes, and an abort need not wait for it.
      const { done, value: chunk } = await orAborted(reader.next(), this.options.signal);
      if (done === true) return;
      const entries = chunk.filter(({ list, playerId }) => !isEnding(list) && !hiddenIds.has(playerId));
      const rows = entries.map(({ list, playerId }) => ({ list: list.name, playerId }));
      const scores = await readScores(this.options.ranking, this.scope, rows);
      for (const [index, row] of rows.entries()) {
        this.seen.add(row);
        if (scores[index] !== null) this.present.set(row.list, (this.present.get(row.list) ?? 0) + 1);
      }
      this.compared += rows.length;
      yield rows.filter((_, index) => scores[index] !== entries[index]?.score);
      await pause(PAUSE_MS, this.options.signal);
    }
  }

  /** Behind `differing`: rows that truth does not have. Only lists are read that have more than was found of truth's. */
  async *unknown(): AsyncIterable<readonly ListRow[]> {
    for await (const list of this.crowdedLists()) {
      for await (const page of this.pagesOf(list)) {
        const unknown = page.filter((row) => !this.seen.has(row));
        // Pages overlap.
        for (const row of unknown) this.seen.add(row);
        yield unknown;
        await pause(PAUSE_MS, this.options.signal);
      }
    }
  }

  private async *crowdedLists(): AsyncIterable<string> {
    const { ranking, signal } = this.options;
    const { tag, name: tagName, definition, lists } = this.scope;
    const done = new Set<string>();
    let cursor: string | null = '0';
    while (cursor !== null) {
      const scan: Awaited<ReturnType<ReconciledRanking['scanLists']>> = await ranking.scanLists(
        tag,
        definition.hash,
        cursor,
      );
      if (scan === null) throw replaced(tagName);
      for (const { name, total } of scan.lists) {
        if (done.has(name)) continue;
        done.add(name);
        if (total > (this.present.get(name) ?? 0) && !isEnding(lists.named(name))) yield name;
      }
      cursor = scan.cursor;
      await pause(PAUSE_MS, signal);
    }
  }

  private async *pagesOf(list: string): AsyncIterable<readonly ListRow[]> {
    for (let fromRank = 1; ; fromRank += CHUNK_ROWS - PAGE_OVERLAP) {
      const reading = await this.options.ranking.readRange(listRef(this.scope, list), fromRank, CHUNK_ROWS);
      if (reading === null) throw replaced(this.scope.name);
      yield reading.rows.map(({ playerId }) => ({ list, playerId }));
      if (reading.rows.length < CHUNK_ROWS) return;
    }
  }
}

/** Packed scores of the rows in their order. */
export async function readScores(
  ranking: ReconciledRanking,
  { tag, name, definition }: BoardSeason,
  rows: readonly ListRow[],
): Promise<readonly (number | null)[]> {
  const scores = await ranking.readScores(tag, definition.hash, rows);
  if (scores === null) throw replaced(name);
  return scores;
}

/** Another process has the board in its hands, or the ranking was lost: whoever comes next finds out. */
export function replaced(name: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `board ${name} was replaced or lost while it was compared with the database: try again`,
  );
}

function isEnding({ keptUntil }: TagList): boolean {
  return keptUntil !== null && keptUntil <= Date.now() + ENDING_MS;
}
