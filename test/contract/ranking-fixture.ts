/** What the contract tests share: a fresh ranking per test, a fresh tag, a log to submit from, and a feed recorder. */

import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Order } from '../../src/domain/board.js';
import type { Change, ChangeSet, Entry, TagPosition } from '../../src/domain/change.js';
import type { Position } from '../../src/domain/log-record.js';
import type { Rule, ScoreMerge } from '../../src/domain/rules.js';
import type { Tag } from '../../src/domain/tag.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import {
  DEDUP_MS,
  type FeedListener,
  type FeedSubscription,
  type FillEntry,
  type FillStart,
  type Mark,
  type Ranking,
  type Reading,
  type ResultIdentity,
  type SubmitBatch,
  type SubmitReply,
} from '../../src/ranking/ranking.js';

/** Runs a `begin` of the tag in such a way that the birth of the tag lies days ago. */
export type BegunLongAgo = (tag: Tag, begin: () => Promise<'begun' | 'exists'>) => Promise<'begun' | 'exists'>;

export interface RankingUnderTest {
  /** By the real clock, with the default `dedupMs`. */
  readonly ranking: Ranking;
  readonly begunLongAgo: BegunLongAgo;
  close(): Promise<void>;
}

export type RankingFactory = () => Promise<RankingUnderTest>;

export const SOURCE = 'kafka:match-results';
export const AT = 1_775_001_600_000;

/** The packing of the cases, see `pack`: 21 bits of points above 32 bits of seconds. */
export const MAX_POINTS = 2_097_151;
export const MAX_SECOND = 4_294_967_295;

export function definitionOf(rule: Rule, order: Order = 'high', maxTotal = MAX_POINTS): TagDefinition {
  const merge = { rule, timeSpan: MAX_SECOND + 1, maxTotal, isLow: order === 'low' };
  return { hash: `definition-${rule}-${order}`, merge };
}

/** What a board of the tests has that names no other. */
export const DEFINITION = definitionOf('best');
export const OTHER_DEFINITION: TagDefinition = { ...DEFINITION, hash: 'definition-2' };

/** The rule that must count each result once; low first with a total that ends inside its bits. */
export const SUMS = [
  ['sum', definitionOf('sum')],
  ['sum, low first', definitionOf('sum', 'low', 2_000_000)],
] as const;

/** Every way of merging. */
export const DEFINITIONS = [['best', DEFINITION], ['latest', definitionOf('latest')], ...SUMS] as const;

export function pack(
  points: number,
  second: number,
  { isLow, maxTotal }: Pick<ScoreMerge, 'isLow' | 'maxTotal'> = DEFINITION.merge,
): number {
  return (isLow ? maxTotal - points : points) * 2 ** 32 + (MAX_SECOND - second);
}

/** A ranking made by the factory before each test and closed after it, and boards of it. */
export function useRanking(factory: RankingFactory): {
  readonly ranking: () => Ranking;
  readonly boardOf: (definition: TagDefinition) => TestBoard;
} {
  let current: RankingUnderTest | undefined;
  beforeEach(async () => {
    current = await factory();
  });
  afterEach(async () => {
    await current?.close();
    current = undefined;
  });
  const underTest = () => {
    if (current === undefined) throw new Error('the ranking is there only inside a test');
    return current;
  };
  return {
    ranking: () => underTest().ranking,
    boardOf: (definition) => new TestBoard(underTest().ranking, definition, underTest().begunLongAgo),
  };
}

/** One tag that no other test uses, and one partition of a log from which it submits. */
export class TestBoard {
  readonly tag: Tag = { boardId: `t-${randomUUID().slice(0, 13)}`, seasonId: '9' };
  private next = 0;

  constructor(
    readonly ranking: Ranking,
    readonly definition: TagDefinition = DEFINITION,
    private readonly begunLongAgo: BegunLongAgo = (_tag, begin) => begin(),
  ) {}

  /** Begins a fill of a tag that is grown up: what was achieved now is not late. */
  async begin(start: FillStart): Promise<'begun' | 'exists'> {
    return await this.begunLongAgo(this.tag, () => this.ranking.begin(this.tag, this.definition, start));
  }

  /** Begins, loads `entries` as one chunk (none where it is empty) and finishes. */
  async fill(entries: readonly FillEntry[] = [], positions: readonly Position[] = []): Promise<void> {
    const jobId = randomUUID();
    await this.begin({ jobId, positions });
    if (entries.length > 0) await this.ranking.load(this.tag, jobId, 0, entries);
    await this.ranking.finish(this.tag, jobId, entries.length > 0 ? 1 : 0);
  }

  /** Submits results as the next records of partition 0. */
  async submit(...results: readonly ToSubmit[]): Promise<SubmitReply> {
    const from = this.next;
    this.next += results.length;
    return await this.submitBatch(batchOf(from, ...results));
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
  async players(): Promise<readonly string[]> {
    return idsOf(await this.ranking.readRange(this.tag, 1, 1_000));
  }

  /** The whole list, without what names the moment. */
  async rows(): Promise<readonly Entry[]> {
    return present(await this.ranking.readRange(this.tag, 1, 1_000)).rows;
  }

  /** Every player's packed score. */
  async scores(): Promise<Readonly<Record<string, number | null>>> {
    return Object.fromEntries((await this.rows()).map(({ playerId, score }) => [playerId, score]));
  }

  /** Marked players by id. */
  async marked(): Promise<ReadonlyMap<string, Mark>> {
    return new Map((await this.ranking.marks(this.tag)).map((mark) => [mark.playerId, mark]));
  }

  follow(afterSeq: number): FeedRecorder {
    return new FeedRecorder(this.ranking, this.tag, afterSeq);
  }
}

/** Without an identity it is no copy of anything, and of a match that just ended. */
export type ToSubmit = readonly [playerId: string, score: number, identity?: ResultIdentity];

export function newIdentity(achievedAt = Date.now()): ResultIdentity {
  return { hash: String(randomBytes(8).readBigInt64LE()), achievedAt };
}

/** Of a match that ended so long ago that no tag remembers its copies. */
export function lateIdentity(): ResultIdentity {
  return newIdentity(Date.now() - DEDUP_MS - 60_000);
}

/** Results as consecutive records of partition 0. */
export function batchOf(from: number, ...results: readonly ToSubmit[]): SubmitBatch {
  return {
    source: SOURCE,
    partition: 0,
    from,
    to: from + results.length,
    results: results.map(([playerId, score, identity = newIdentity()], index) => ({
      playerId,
      score,
      offset: from + index,
      at: AT + index,
      identity,
    })),
  };
}

export function idsOf(reading: Reading<{ readonly playerId: string }> | null): readonly string[] {
  return present(reading).rows.map((row) => row.playerId);
}

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected a finished board');
  return value;
}

/** Keeps all that a feed says. */
export class FeedRecorder implements FeedListener {
  readonly sets: ChangeSet[] = [];
  readonly heard: (TagPosition | null)[] = [];
  private readonly subscription: FeedSubscription;

  constructor(ranking: Ranking, tag: Tag, afterSeq: number) {
    this.subscription = ranking.follow(tag, afterSeq, this);
  }

  changes(set: ChangeSet): void {
    this.sets.push(set);
  }

  position(position: TagPosition | null): void {
    this.heard.push(position);
  }

  get allChanges(): readonly Change[] {
    return this.sets.flatMap((set) => set.changes);
  }

  restart(afterSeq: number): void {
    this.sets.length = 0;
    this.subscription.restart(afterSeq);
  }

  close(): void {
    this.subscription.close();
  }

  /** Polls until the feed has brought everything up to `seq`. */
  async reached(seq: number): Promise<void> {
    await eventually(() => this.sets.at(-1)?.toSeq === seq, `the feed brought seq ${seq}`);
  }
}

/** Polls until `isTrue` holds, for at most 5 s. */
export async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const check = () => {
    if (!isTrue()) throw new Error(`it did not come true in time that ${what}`);
  };
  await vi.waitFor(check, { timeout: 5_000, interval: 5 });
}
