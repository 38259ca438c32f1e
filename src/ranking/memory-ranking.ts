/** The ranking in memory: the engine of one process without Redis. Each call is done before it gives way to another. */

import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { Entry, Standing, TagPosition } from '../domain/change.js';
import { type Tag, tagName } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';
import { checkAsked, checkBatch, checkChunk, checkSettle } from './memory/call-checks.js';
import { ChangeFeed } from './memory/change-feed.js';
import type { RankedList } from './memory/ranked-list.js';
import { TagBoard } from './memory/tag-board.js';
import {
  DEDUP_MS,
  type FeedListener,
  type FeedSubscription,
  type FillEntry,
  type FillStart,
  type Mark,
  type Ranking,
  type Reading,
  type SubmitBatch,
  type SubmitReply,
  type TagState,
} from './ranking.js';

export interface MemoryRankingOptions {
  /** Gets the errors of feed listeners; without it they are dropped. */
  readonly logger?: Logger;
  /** How many changes a tag keeps for readers that come back, default 50,000: 25 s at 2,000 changes a second. */
  readonly keptChanges?: number;
  /** How often followers are told where their tag stands, default 1,000. */
  readonly positionIntervalMs?: number;
  /** For how long a tag remembers results where its rule needs it, default `DEDUP_MS`. */
  readonly dedupMs?: number;
  /** The clock that says what is late, epoch milliseconds, default `Date.now`. */
  readonly now?: () => number;
}

const KEPT_CHANGES = 50_000;
const POSITION_INTERVAL_MS = 1_000;
const EPOCH_LIMIT = 2 ** 32;

interface TagSlot {
  readonly feed: ChangeFeed;
  /** `null` until the first fill begins: followers may come before it. */
  board: TagBoard | null;
}

/**
 * Everything is lost with the process: at each start `state` answers `null`, and the tag is filled from truth.
 * Followers get the changes of a submit before `submit` answers.
 */
export class MemoryRanking implements Ranking {
  private readonly slots = new Map<string, TagSlot>();
  private readonly timer: NodeJS.Timeout;
  private readonly now: () => number;

  constructor(private readonly options: MemoryRankingOptions = {}) {
    this.now = options.now ?? Date.now;
    const intervalMs = options.positionIntervalMs ?? POSITION_INTERVAL_MS;
    this.timer = setInterval(() => this.tellPositions(), intervalMs).unref();
  }

  async submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply> {
    const slot = this.slots.get(tagName(tag));
    if (!slot?.board) return { kind: 'no-board' };
    const { board, feed } = slot;
    if (board.definition.hash !== definitionHash) return { kind: 'other-definition' };
    const next = board.next(batch);
    if (batch.from > next) return { kind: 'behind', next };
    checkBatch(batch, board.definition.merge.rule);
    const { outcomes, changes } = board.apply(batch, this.now());
    const isReadable = board.position() !== null;
    const reply = { kind: 'done', next: board.next(batch), outcomes, isReadable } as const;
    if (changes !== null) feed.publish(changes);
    return reply;
  }

  async marks(tag: Tag): Promise<readonly Mark[]> {
    return this.slots.get(tagName(tag))?.board?.marks() ?? [];
  }

  async settle(tag: Tag, mark: Mark, score: number | null): Promise<'settled' | 'superseded'> {
    checkSettle(mark, score);
    const slot = this.slots.get(tagName(tag));
    const settled = slot?.board?.settle(mark, score, this.now());
    if (!slot || !settled) return 'superseded';
    if (settled.changes !== null) slot.feed.publish(settled.changes);
    return 'settled';
  }

  async state(tag: Tag): Promise<TagState | null> {
    const board = this.slots.get(tagName(tag))?.board;
    const position = board?.position();
    return board && position ? { ...position, positions: board.positions() } : null;
  }

  async readRange(tag: Tag, fromRank: number, count: number): Promise<Reading<Entry> | null> {
    return this.read(tag, (list) => list.range(fromRank, count));
  }

  async readAround(tag: Tag, playerId: string, above: number, below: number): Promise<Reading<Entry> | null> {
    return this.read(tag, (list) => list.around(playerId, above, below));
  }

  async readPlayers(tag: Tag, playerIds: readonly string[]): Promise<Reading<Standing> | null> {
    checkAsked(playerIds);
    return this.read(tag, (list) => playerIds.map((playerId) => list.standing(playerId)));
  }

  async begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<'begun' | 'exists'> {
    const slot = this.slotOf(tag);
    if (slot.board?.position()) return 'exists';
    const { dedupMs = DEDUP_MS } = this.options;
    slot.board = new TagBoard(definition, start, { dedupMs, birth: this.now() });
    return 'begun';
  }

  async load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'> {
    const board = this.slots.get(tagName(tag))?.board;
    if (!board?.isFilledBy(jobId) || board.position()) return 'superseded';
    checkChunk(entries);
    board.load(index, entries);
    return 'loaded';
  }

  async finish(tag: Tag, jobId: string, chunks: number): Promise<'finished' | 'superseded'> {
    const slot = this.slots.get(tagName(tag));
    if (!slot?.board?.isFilledBy(jobId)) return 'superseded';
    // A repeat of a finish that was answered already must not make a second history.
    if (slot.board.position()) return 'finished';
    slot.board.finish(chunks, randomInt(EPOCH_LIMIT));
    slot.feed.tellPositions();
    return 'finished';
  }

  follow(tag: Tag, afterSeq: number, listener: FeedListener): FeedSubscription {
    return this.slotOf(tag).feed.follow(afterSeq, listener);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const { feed } of this.slots.values()) feed.close();
  }

  private read<Row>(tag: Tag, rowsOf: (list: RankedList) => readonly Row[]): Reading<Row> | null {
    const board = this.slots.get(tagName(tag))?.board;
    const position = board?.position();
    if (!board || !position) return null;
    return { ...position, total: board.list.size, rows: rowsOf(board.list) };
  }

  private slotOf(tag: Tag): TagSlot {
    const name = tagName(tag);
    const known = this.slots.get(name);
    if (known !== undefined) return known;
    const slot: TagSlot = { board: null, feed: this.newFeed(() => slot.board?.position() ?? null) };
    this.slots.set(name, slot);
    return slot;
  }

  private newFeed(position: () => TagPosition | null): ChangeFeed {
    const { logger, keptChanges = KEPT_CHANGES } = this.options;
    return new ChangeFeed({ logger, keptChanges, position });
  }

  private tellPositions(): void {
    for (const { feed } of this.slots.values()) feed.tellPositions();
  }
}
