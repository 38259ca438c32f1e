/** The ranking in memory: the engine of one process without Redis. Each call is done before it gives way to another. */

import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import type { AroundAsk, Entry, Standing } from '../domain/change.js';
import type { OrderKey } from '../domain/order-key.js';
import { type Tag, tagName } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';
import { checkAsked, checkMarked, checkNeighbours, checkSettle } from './memory/call-checks.js';
import { ChangeFeed } from './memory/change-feed.js';
import type { RankedList } from './memory/ranked-list.js';
import { type Answered, TagBoard } from './memory/tag-board.js';
import {
  DEDUP_MS,
  type FeedListener,
  type FeedSubscription,
  type FillBegun,
  type FillEntry,
  type FillStart,
  type FillSum,
  type FoldedEntry,
  type ListRef,
  type ListRow,
  type ListScan,
  type Mark,
  type PlayerToMark,
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
  /** The clock that says what is late, and which lists are past, epoch milliseconds, default `Date.now`. */
  readonly now?: () => number;
}

const KEPT_CHANGES = 50_000;
const POSITION_INTERVAL_MS = 1_000;
const EPOCH_LIMIT = 2 ** 32;

interface TagSlot {
  readonly feed: ChangeFeed;
  readonly board: TagBoard;
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
    return slot ? publish(slot, slot.board.submit(definitionHash, batch, this.now())) : { kind: 'no-board' };
  }

  async marks(tag: Tag): Promise<readonly Mark[]> {
    return this.boardOf(tag)?.marks() ?? [];
  }

  async mark(
    tag: Tag,
    definitionHash: string,
    players: readonly PlayerToMark[],
  ): Promise<'marked' | 'no-board' | 'other-definition'> {
    checkMarked(players);
    return this.boardOf(tag)?.mark(definitionHash, players) ?? 'no-board';
  }

  async settle(
    tag: Tag,
    definitionHash: string,
    mark: Mark,
    folded: readonly FoldedEntry[],
  ): Promise<'settled' | 'superseded'> {
    checkSettle(mark, folded);
    const slot = this.slots.get(tagName(tag));
    return slot ? publish(slot, slot.board.settle(definitionHash, mark, folded, this.now())) : 'superseded';
  }

  async state(tag: Tag): Promise<TagState | null> {
    return this.boardOf(tag)?.state() ?? null;
  }

  async readRange(list: ListRef, fromRank: number, count: number): Promise<Reading<Entry> | null> {
    return this.read(list, (ranked) => ranked.range(fromRank, count));
  }

  async readBelow(list: ListRef, key: OrderKey, count: number): Promise<Reading<Entry> | null> {
    return this.read(list, (ranked) => ranked.below(key, count));
  }

  async readAround(list: ListRef, playerId: string, above: number, below: number): Promise<Reading<Entry> | null> {
    return this.read(list, (ranked) => ranked.around(playerId, above, below));
  }

  async readNeighbours(list: ListRef, asked: readonly AroundAsk[]): Promise<Reading<readonly Entry[]> | null> {
    checkNeighbours(asked);
    return this.read(list, (ranked) =>
      asked.map(({ playerId, above, below }) => ranked.around(playerId, above, below)),
    );
  }

  async readPlayers(list: ListRef, playerIds: readonly string[]): Promise<Reading<Standing> | null> {
    checkAsked(playerIds);
    const board = this.boardOf(list.tag);
    return this.read(list, (ranked) =>
      playerIds.map((playerId) => {
        const standing = ranked.standing(playerId);
        return standing.score === null && board?.isHidden(playerId) ? { ...standing, isHidden: true } : standing;
      }),
    );
  }

  async readScores(
    tag: Tag,
    definitionHash: string,
    rows: readonly ListRow[],
  ): Promise<readonly (number | null)[] | null> {
    checkAsked(rows);
    const board = this.boardOf(tag);
    if (!board?.position(definitionHash)) return null;
    const now = this.now();
    return rows.map(({ list, playerId }) => board.list(definitionHash, list, now)?.score(playerId) ?? null);
  }

  /** All of them at once. */
  async scanLists(tag: Tag, definitionHash: string): Promise<ListScan | null> {
    const lists = this.boardOf(tag)?.lists(definitionHash, this.now());
    return lists ? { cursor: null, lists } : null;
  }

  async begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<FillBegun> {
    return this.slotOf(tag).board.begin(definition, start, this.now());
  }

  async load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'> {
    return this.boardOf(tag)?.load(jobId, index, entries, this.now()) ?? 'superseded';
  }

  async finish(tag: Tag, jobId: string, chunks: number, sum: FillSum): Promise<'finished' | 'superseded'> {
    const slot = this.slots.get(tagName(tag));
    const answer = slot?.board.finish(jobId, chunks, sum, randomInt(EPOCH_LIMIT)) ?? 'superseded';
    if (answer === 'finished') slot?.feed.tellPositions();
    return answer;
  }

  async abandon(tag: Tag, jobId: string): Promise<void> {
    this.boardOf(tag)?.abandon(jobId);
  }

  /** What is neither shown nor filled is nobody's at once, and so is its memory. */
  async sweep(): Promise<boolean> {
    return false;
  }

  follow({ tag, definitionHash }: ListRef, afterSeq: number, listener: FeedListener): FeedSubscription {
    return this.slotOf(tag).feed.follow(definitionHash, afterSeq, listener);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const { feed } of this.slots.values()) feed.close();
  }

  private read<Row>(
    { tag, definitionHash, list }: ListRef,
    rowsOf: (ranked: RankedList) => readonly Row[],
  ): Reading<Row> | null {
    const board = this.boardOf(tag);
    const position = board?.position(definitionHash);
    const ranked = board?.list(definitionHash, list, this.now());
    return position && ranked ? { ...position, total: ranked.size, rows: rowsOf(ranked) } : null;
  }

  private boardOf(tag: Tag): TagBoard | undefined {
    return this.slots.get(tagName(tag))?.board;
  }

  /** Followers may come before the first fill begins. */
  private slotOf(tag: Tag): TagSlot {
    const name = tagName(tag);
    const known = this.slots.get(name);
    if (known !== undefined) return known;
    const { logger, keptChanges = KEPT_CHANGES, dedupMs = DEDUP_MS } = this.options;
    const board = new TagBoard(dedupMs);
    const feed = new ChangeFeed({ logger, keptChanges, position: (hash) => board.position(hash) });
    const slot = { board, feed };
    this.slots.set(name, slot);
    return slot;
  }

  private tellPositions(): void {
    for (const { feed } of this.slots.values()) feed.tellPositions();
  }
}

function publish<Answer>({ feed }: TagSlot, { answer, changes }: Answered<Answer>): Answer {
  if (changes !== null) feed.publish(changes);
  return answer;
}
