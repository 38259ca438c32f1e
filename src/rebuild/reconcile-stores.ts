/** What a reconcile needs of a ranking and of truth; src/ranking and src/truth have it. */

import type { BoardSeason } from '../domain/board-season.js';
import type { ListRef, TagList } from '../domain/lists.js';
import type { Position } from '../domain/log-record.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinitions } from '../domain/tag-standing.js';
import type { PlayerFolds } from './settle-marks.js';

/** One row of one list, by name; whoever is ranked is its player. */
export interface ListRow {
  readonly list: string;
  readonly playerId: string;
}

export interface ReconciledRanking {
  /** `null` where the tag has no finished board. */
  state(tag: Tag): Promise<(TagDefinitions & { readonly positions: readonly Position[] }) | null>;
  /** Lists that rank somebody, from a cursor on; the first is '0', `null` is behind the last. */
  scanLists(tag: Tag, definitionHash: string, cursor: string): Promise<ListScan | null>;
  /** Packed scores in the order asked, at most `CHUNK_ROWS`; `null` where the row is not there. */
  readScores(tag: Tag, definitionHash: string, rows: readonly ListRow[]): Promise<readonly (number | null)[] | null>;
  readRange(
    list: ListRef,
    fromRank: number,
    count: number,
  ): Promise<{ readonly rows: readonly { readonly playerId: string }[] } | null>;
  mark(
    tag: Tag,
    definitionHash: string,
    players: readonly { readonly playerId: string; readonly lists: readonly TagList[] }[],
  ): Promise<'marked' | 'no-board' | 'other-definition'>;
}

interface ListScan {
  readonly cursor: string | null;
  readonly lists: readonly { readonly name: string; readonly total: number }[];
}

export interface ReconciledTruth extends PlayerFolds {
  /** Who is hidden now of those that the board ranks. */
  hidden(scope: BoardSeason): Promise<readonly string[]>;
}

/** How many rows one read asks for: Redis is blocked for about a millisecond. */
export const CHUNK_ROWS = 1_000;
