/** What the views need of a ranking; src/ranking/ranking.ts says what each member promises. */

import type { AroundAsk, ChangeSet, Entry, Standing, TagPosition } from '../domain/change.js';
import type { ListRef } from '../domain/lists.js';

export interface ReadRows<Row> extends TagPosition {
  readonly total: number;
  readonly rows: readonly Row[];
}

export interface RankingReader {
  readRange(list: ListRef, fromRank: number, count: number): Promise<ReadRows<Entry> | null>;
  readPlayers(list: ListRef, playerIds: readonly string[]): Promise<ReadRows<Standing> | null>;
  readNeighbours(list: ListRef, asked: readonly AroundAsk[]): Promise<ReadRows<readonly Entry[]> | null>;
  /** Tells of the changes of the list, and maybe of others of its tag: all of them move the seq. */
  follow(list: ListRef, afterSeq: number, listener: ChangeListener): ChangeSubscription;
}

export interface ChangeListener {
  changes(set: ChangeSet): void;
  position(position: TagPosition | null): void;
}

export interface ChangeSubscription {
  restart(afterSeq: number): void;
  close(): void;
}
