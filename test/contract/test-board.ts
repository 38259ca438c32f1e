/** One tag that no other test uses, one partition of a log from which it submits, and the fills of it. */

import { randomUUID } from 'node:crypto';
import type { Entry } from '../../src/domain/change.js';
import { addToSum, EMPTY_SUM } from '../../src/domain/fill-entry.js';
import { SEASON_LIST, type TagList } from '../../src/domain/lists.js';
import type { Position } from '../../src/domain/log-record.js';
import type { Tag } from '../../src/domain/tag.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type {
  FillBegun,
  FillEntry,
  FillStart,
  FillSum,
  ListRef,
  Mark,
  PlayerOrder,
  Ranking,
  Reading,
  SubmitBatch,
  SubmitReply,
} from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { batchIn, orderBatch, type ToSubmit } from './batches.js';
import { FeedRecorder } from './feed-recorder.js';
import { DEFINITION } from './packing.js';

/** Runs a `begin` of the tag in such a way that the birth of the tag lies days ago. */
export type BegunLongAgo = (tag: Tag, begin: () => Promise<FillBegun>) => Promise<FillBegun>;

/** Without positions and hidden players where they are not given. */
export type ToBegin = Pick<FillStart, 'jobId'> & Partial<FillStart>;

export class TestBoard {
  readonly tag: Tag = { boardId: `t-${randomUUID().slice(0, 13)}`, seasonId: '9' };
  private next = 0;
  /** By job: what came in each of its chunks. */
  private readonly loaded = new Map<string, Map<number, readonly FillEntry[]>>();

  constructor(
    readonly ranking: Ranking,
    readonly definition: TagDefinition = DEFINITION,
    private readonly begunLongAgo: BegunLongAgo = (_tag, begin) => begin(),
  ) {}

  /** A list of it, as its readers name it. */
  ref(list: string = SEASON_LIST): ListRef {
    return { tag: this.tag, definitionHash: this.definition.hash, list };
  }

  /** Begins a fill of a tag that is grown up: what was achieved now is not late. */
  async begin(start: ToBegin, definition = this.definition): Promise<FillBegun> {
    const given = { positions: [], hidden: [], ...start };
    return await this.begunLongAgo(this.tag, () => this.ranking.begin(this.tag, definition, given));
  }

  async load(jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'> {
    const answer = await this.ranking.load(this.tag, jobId, index, entries);
    this.loaded.set(jobId, (this.loaded.get(jobId) ?? new Map()).set(index, entries));
    return answer;
  }

  /** With the sum of all that the job loaded. */
  async finish(jobId: string, chunks: number): Promise<'finished' | 'superseded'> {
    return await this.ranking.finish(this.tag, jobId, chunks, this.sumOf(jobId));
  }

  sumOf(jobId: string): FillSum {
    return [...(this.loaded.get(jobId)?.values() ?? [])].reduce(addToSum, EMPTY_SUM);
  }

  /** Begins, loads `entries` as one chunk (none where it is empty) and finishes. */
  async fill(entries: readonly FillEntry[] = [], positions: readonly Position[] = []): Promise<void> {
    const jobId = randomUUID();
    await this.begin({ jobId, positions });
    if (entries.length > 0) await this.load(jobId, 0, entries);
    await this.finish(jobId, entries.length > 0 ? 1 : 0);
  }

  /** Submits results as the next records of partition 0. */
  async submit(...results: readonly ToSubmit[]): Promise<SubmitReply> {
    return await this.submitIn(SEASON_LISTS, ...results);
  }

  /** The same, and each of them counts in these lists. */
  async submitIn(lists: readonly TagList[], ...results: readonly ToSubmit[]): Promise<SubmitReply> {
    return await this.submitNext(batchIn(lists, this.next, ...results));
  }

  /** Submits an order as the next record of partition 0. */
  async order(order: PlayerOrder['order'], playerId: string, lists?: readonly TagList[]): Promise<SubmitReply> {
    return await this.submitNext(orderBatch(this.next, order, playerId, lists));
  }

  async submitBatch(batch: SubmitBatch): Promise<SubmitReply> {
    return await this.ranking.submit(this.tag, this.definition.hash, batch);
  }

  async positions(): Promise<readonly Position[] | undefined> {
    const state = await this.ranking.state(this.tag);
    return state?.positions.toSorted((a, b) => (a.source + a.partition < b.source + b.partition ? -1 : 1));
  }

  async seq(): Promise<number> {
    return present(await this.ranking.state(this.tag)).seq;
  }

  /** The ids from rank 1 on. */
  async players(list?: string): Promise<readonly string[]> {
    return idsOf(await this.ranking.readRange(this.ref(list), 1, 1_000));
  }

  /** The whole list, without what names the moment. */
  async rows(list?: string): Promise<readonly Entry[]> {
    return present(await this.ranking.readRange(this.ref(list), 1, 1_000)).rows;
  }

  /** Every player's packed score. */
  async scores(list?: string): Promise<Readonly<Record<string, number | null>>> {
    return Object.fromEntries((await this.rows(list)).map(({ playerId, score }) => [playerId, score]));
  }

  /** Marked players by id. */
  async marked(): Promise<ReadonlyMap<string, Mark>> {
    return new Map((await this.ranking.marks(this.tag)).map((mark) => [mark.playerId, mark]));
  }

  async markOf(playerId: string): Promise<Mark> {
    return present((await this.marked()).get(playerId));
  }

  follow(afterSeq: number): FeedRecorder {
    return new FeedRecorder(this.ranking, this.ref(), afterSeq);
  }

  private async submitNext(batch: SubmitBatch): Promise<SubmitReply> {
    this.next = batch.to;
    return await this.submitBatch(batch);
  }
}

export function idsOf(reading: Reading<{ readonly playerId: string }> | null): readonly string[] {
  return present(reading).rows.map((row) => row.playerId);
}

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected it to be there');
  return value;
}
