/** What the views need of a ranking; src/ranking/ranking.ts says what each member promises. */

import type { ChangeSet, Entry, Standing, TagPosition } from '../domain/change.js';
import type { Tag } from '../domain/tag.js';

export interface ReadRows<Row> extends TagPosition {
  readonly total: number;
  readonly rows: readonly Row[];
}

export interface RankingReader {
  readRange(tag: Tag, fromRank: number, count: number): Promise<ReadRows<Entry> | null>;
  readPlayers(tag: Tag, playerIds: readonly string[]): Promise<ReadRows<Standing> | null>;
  follow(tag: Tag, afterSeq: number, listener: ChangeListener): ChangeSubscription;
}

export interface ChangeListener {
  changes(set: ChangeSet): void;
  position(position: TagPosition | null): void;
}

export interface ChangeSubscription {
  restart(afterSeq: number): void;
  close(): void;
}
