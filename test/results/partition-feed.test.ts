import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import type { LogRange, PartitionFeedOptions } from '../../src/results/feed-options.js';
import { PartitionFeed } from '../../src/results/partition-feed.js';
import type { PartitionConsumer } from '../../src/results/result-log.js';
import { silent } from '../truth/truth-database.js';
import { RecordedReports, RecordingConsumer } from './log-fixture.js';

class FakeControls {
  readonly seeks: (readonly [number, number])[] = [];
  readonly paused = new Set<number>();
  range: LogRange = { low: 0, end: 100 };
  /** Ends of single partitions. */
  readonly shorter = new Map<number, number>();
  seek(partition: number, offset: number): void {
    this.seeks.push([partition, offset]);
  }
  pause(partition: number): void {
    this.paused.add(partition);
  }
  resume(partition: number): void {
    this.paused.delete(partition);
  }
  async ranges(partitions: readonly number[]): Promise<ReadonlyMap<number, LogRange>> {
    return new Map(
      partitions.map((partition) => [partition, { ...this.range, end: this.shorter.get(partition) ?? this.range.end }]),
    );
  }
}

let controls: FakeControls;
let consumer: RecordingConsumer;
let reports: RecordedReports;
let feed: PartitionFeed;
let clock: number;
beforeEach(() => {
  vi.useFakeTimers();
  controls = new FakeControls();
  consumer = new RecordingConsumer();
  reports = new RecordedReports();
  clock = 1;
  feed = newFeed();
});
afterEach(async () => {
  await feed.close();
  vi.useRealTimers();
});

function newFeed(more: Partial<PartitionFeedOptions> = {}): PartitionFeed {
  const now = () => clock;
  return new PartitionFeed({
    source: 'kafka:t',
    group: 'g',
    consumer,
    controls,
    reports,
    logger: silent,
    now,
    ...more,
  });
}

/** A consumer that can be given more. */
function bound(one: RecordingConsumer): PartitionConsumer {
  return { positions: (...call) => one.positions(...call), consume: (...call) => one.consume(...call) };
}

/** The log ends there, and that is seen. */
async function observeEnd(end: number): Promise<void> {
  controls.range = { ...controls.range, end };
  feed.observeEnd(0, end);
  await vi.advanceTimersByTimeAsync(0);
}

function record(offset: number): LogRecord {
  return { offset, key: null, value: null, brokerAt: 1 };
}

function offer(first: number, to: number, end = 100, partition = 0): Promise<void> {
  const records = Array.from({ length: to - first }, (_, index) => record(first + index));
  return feed.offer({ partition, first, to, records, end });
}

const offsets = () => consumer.records.map(({ offset }) => offset);
const spans = () => consumer.batches.map(({ from, to }) => [from, to]);

describe('a partition feed', () => {
  it("starts where the consumer says, not where the log's group was", async () => {
    consumer.next.set(0, 40);
    await feed.assign([0]);
    expect(controls.seeks).toEqual([[0, 40]]);
    expect(controls.paused.size).toBe(0);
    expect(reports.problems.get('g')).toBeNull();
    await offer(38, 42);
    expect(offsets()).toEqual([40, 41]);
    expect(spans()).toEqual([[40, 42]]);
    expect(reports.lags.get(0)).toBe(58);
  });

  it('refuses a log that ends below the position', async () => {
    consumer.next.set(0, 101);
    const assigned = feed.assign([0]);
    await expect(assigned).rejects.toBeInstanceOf(StartRefusedError);
    await expect(assigned).rejects.toThrow(/topic recreated/);
    expect(controls.paused.has(0)).toBe(true);
  });

  it('tells what its consumer leaves out, and goes on with the rest', async () => {
    let problem: string | undefined = 'one board is refused';
    feed = newFeed({ consumer: { ...bound(consumer), problem: () => problem } });
    await feed.assign([0]);
    expect(reports.problems.get('g')).toBe(problem);
    await offer(0, 5);
    expect(offsets()).toEqual([0, 1, 2, 3, 4]);
    expect(reports.problems.get('g')).toBe(problem);
    problem = undefined;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('says nothing of boards where it has no partition, by which their end would show', async () => {
    feed = newFeed({ consumer: { ...bound(consumer), problem: () => 'one board is refused' } });
    await feed.assign([0]);
    await feed.assign([]);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('asks once more where a batch does not continue, and takes a hole that is still there', async () => {
    await feed.assign([0]);
    await offer(0, 5);
    await offer(8, 10);
    expect(controls.seeks.at(-1)).toEqual([0, 5]);
    expect(offsets()).toEqual([0, 1, 2, 3, 4]);
    await offer(8, 10);
    expect(offsets()).toEqual([0, 1, 2, 3, 4, 8, 9]);
    expect(spans()).toEqual([
      [0, 5],
      [5, 10],
    ]);
    expect(reports.lostRecords).toBe(0);
  });

  it('does not take a jump for a hole when the records come at the second asking', async () => {
    await feed.assign([0]);
    await offer(50, 60);
    await offer(0, 60);
    expect(offsets()).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  it('counts records that the log no longer holds, and goes on from the first it has', async () => {
    consumer.next.set(0, 10);
    controls.range = { low: 30, end: 100 };
    await feed.assign([0]);
    expect(controls.seeks).toEqual([[0, 30]]);
    await offer(50, 60);
    expect(controls.seeks.at(-1)).toEqual([0, 30]);
    await offer(30, 60);
    expect(reports.lostRecords).toBe(20);
    expect(spans()).toEqual([[10, 60]]);
  });

  it('is not ready while a log ends below the position, as after a change of leader, and goes on when it is back', async () => {
    consumer.next.set(0, 40);
    await feed.assign([0]);
    await observeEnd(39);
    expect(reports.problems.get('g')).toMatch(/ends at 39, but g has read up to 40/);
    await offer(0, 3, 3);
    expect(reports.problems.get('g')).toMatch(/topic recreated/);
    clock += 29_000;
    await observeEnd(39);
    await vi.advanceTimersByTimeAsync(200);
    await observeEnd(44);
    expect(reports.problems.get('g')).toBeNull();
    clock += 29_000;
    await observeEnd(39);
    await observeEnd(44);
    await offer(40, 44, 44);
    expect(offsets()).toEqual([40, 41, 42, 43]);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('takes nothing more from a log that went back, also when it has grown past the position, until a restart', async () => {
    consumer.next.set(0, 40);
    await feed.assign([0, 1]);
    await observeEnd(3);
    clock += 30_000;
    await observeEnd(20);
    await observeEnd(60);
    expect(controls.paused.has(0)).toBe(true);
    expect(reports.problems.get('g')).toMatch(/read up to 40.*Nothing more is taken from it before a restart/);
    await offer(40, 60, 60);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(offsets()).toEqual([]);
    expect(feed.positions().get(0)).toBe(40);
    expect(controls.paused.has(1)).toBe(false);
    await expect(feed.assign([0, 1])).rejects.toThrow('before a restart');
    await offer(40, 60, 60);
    expect(offsets()).toEqual([]);
    expect(reports.problems.get('g')).toMatch('before a restart');
  });

  it('goes back with a store that was restored together with its log', async () => {
    feed = newFeed({ sureAfterMs: 0 });
    consumer.next.set(0, 40);
    await feed.assign([0]);
    consumer.next.set(0, 3);
    await observeEnd(3);
    expect(feed.positions().get(0)).toBe(3);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('does not believe an end that is older than the position', async () => {
    feed = newFeed({ sureAfterMs: 0 });
    consumer.next.set(0, 40);
    await feed.assign([0]);
    feed.observeEnd(0, 39);
    await vi.advanceTimersByTimeAsync(0);
    expect(reports.problems.get('g')).toBeNull();
    expect(controls.paused.has(0)).toBe(false);
  });

  it('begins the partitions after one that ends below its position, and that one when it is back', async () => {
    consumer.next.set(0, 40);
    controls.shorter.set(0, 30);
    const assigned = feed.assign([0, 1]);
    await expect(assigned).rejects.toBeInstanceOf(StartRefusedError);
    await expect(assigned).rejects.toThrow(/partition 0 ends at 30/);
    expect([...controls.paused]).toEqual([0]);
    await offer(0, 5, 100, 1);
    expect(offsets()).toEqual([0, 1, 2, 3, 4]);
    expect(reports.problems.get('g')).toMatch(/partition 0 ends at 30/);
    controls.shorter.clear();
    await vi.advanceTimersByTimeAsync(200);
    expect([...controls.paused]).toEqual([]);
    expect(feed.positions().get(1)).toBe(5);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('takes no loss that its consumer does not go without, and says so until its store stands beyond', async () => {
    feed = newFeed({
      consumer: { ...bound(consumer), lost: async () => Promise.reject(new StartRefusedError('fill it')) },
    });
    consumer.next.set(0, 10);
    controls.range = { low: 30, end: 100 };
    await feed.assign([0]);
    await offer(30, 60);
    expect(offsets()).toEqual([]);
    expect(controls.paused.has(0)).toBe(true);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(spans().filter(([from, to]) => from !== to)).toEqual([]);
    expect(reports.history.slice(-1)).toEqual(['g not ready: fill it']);
    expect(reports.lostRecords).toBe(0);
    consumer.next.set(0, 45);
    await offer(30, 60);
    expect(controls.seeks.at(-1)).toEqual([0, 45]);
    await offer(45, 60);
    expect(offsets()).toEqual(Array.from({ length: 15 }, (_, index) => 45 + index));
    expect(reports.problems.get('g')).toBeNull();
  });

  it('brings the same records again after a failure, neither skipped nor twice', async () => {
    await feed.assign([0]);
    consumer.failure = new StoreUnavailableError('the database is away');
    await offer(0, 3);
    expect(controls.paused.has(0)).toBe(true);
    expect(reports.problems.get('g')).toBe('the database is away');
    await offer(3, 6);
    consumer.failure = undefined;
    await vi.advanceTimersByTimeAsync(200);
    expect(controls.paused.has(0)).toBe(false);
    expect(controls.seeks.at(-1)).toEqual([0, 0]);
    await offer(0, 6);
    expect(offsets()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('survives an error of any kind in a consumer', async () => {
    await feed.assign([0]);
    consumer.failure = new TypeError('undefined is not a function');
    await offer(0, 3);
    consumer.failure = undefined;
    await vi.advanceTimersByTimeAsync(200);
    await offer(0, 3);
    expect(offsets()).toEqual([0, 1, 2]);
  });

  it('seeks where the consumer answers, back or forward', async () => {
    await feed.assign([0]);
    await offer(0, 5);
    consumer.next.set(0, 2);
    await offer(5, 9);
    expect(controls.seeks.at(-1)).toEqual([0, 2]);
    await offer(2, 9);
    expect(offsets()).toEqual([0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 7, 8]);
    consumer.next.set(0, 50);
    await offer(9, 12);
    expect(controls.seeks.at(-1)).toEqual([0, 50]);
    expect(feed.positions()).toEqual(new Map([[0, 50]]));
  });

  it('confirms a quiet position about once a second and notices a store that went back', async () => {
    await feed.assign([0, 1]);
    await offer(0, 5);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    const confirmations = consumer.batches.filter(({ records, from, to }) => records.length === 0 && from === to);
    expect(confirmations.map(({ partition }) => partition).sort()).toEqual([0, 0, 1, 1]);
    consumer.next.set(0, 3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(controls.seeks.at(-1)).toEqual([0, 3]);
  });

  it('gives the log back a slow batch, and offers nothing beside it', async () => {
    await feed.assign([0]);
    let open = (): void => undefined;
    consumer.gate = new Promise((resolve) => {
      open = resolve;
    });
    const offered = offer(0, 5);
    await vi.advanceTimersByTimeAsync(2_000);
    await offered;
    expect(controls.paused.has(0)).toBe(true);
    expect(reports.problems.get('g')).toBe('a batch takes longer than 2 s: is the store answering?');
    await offer(0, 5);
    open();
    await vi.advanceTimersByTimeAsync(0);
    expect(reports.problems.get('g')).toBeNull();
    expect(controls.paused.has(0)).toBe(false);
    expect(controls.seeks.at(-1)).toEqual([0, 5]);
    expect(offsets()).toEqual([0, 1, 2, 3, 4]);
    expect(consumer.mostRunning).toBe(1);
  });

  it('is not ready while a store does not answer, also where the log is quiet', async () => {
    await feed.assign([0]);
    let open = (): void => undefined;
    consumer.gate = new Promise((resolve) => {
      open = resolve;
    });
    await vi.advanceTimersByTimeAsync(3_100);
    expect(reports.problems.get('g')).toMatch('is the store answering?');
    open();
    await vi.advanceTimersByTimeAsync(0);
    expect(reports.problems.get('g')).toBeNull();
    expect(controls.paused.has(0)).toBe(false);
  });

  it('drops what it expected at a rebalance and asks again, after the last call of the old assignment', async () => {
    await feed.assign([0]);
    await offer(0, 5);
    let open = (): void => undefined;
    consumer.gate = new Promise((resolve) => {
      open = resolve;
    });
    const stale = offer(5, 8);
    const assigned = feed.assign([0]);
    consumer.next.set(0, 20);
    open();
    await Promise.all([stale, assigned]);
    expect(feed.positions()).toEqual(new Map([[0, 20]]));
    expect(controls.seeks.at(-1)).toEqual([0, 20]);
  });

  it('keeps asking where to read on while the store is away', async () => {
    consumer.failure = new StoreUnavailableError('the database is away');
    await feed.assign([0]);
    expect(reports.problems.get('g')).toBe('the database is away');
    consumer.failure = undefined;
    await vi.advanceTimersByTimeAsync(200);
    expect(reports.problems.get('g')).toBeNull();
    expect(controls.paused.size).toBe(0);
  });

  it('is ready without partitions: others have them', async () => {
    await feed.assign([]);
    expect(reports.problems.get('g')).toBeNull();
  });
});
