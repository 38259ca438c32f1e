/** What the log tests share: result JSON of a wide season, recorded reports and batches, and polling with a deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { BoardSet } from '../../src/domain/board.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import type { LogReports } from '../../src/results/reports.js';
import type { NewRecord, PartitionConsumer } from '../../src/results/result-log.js';
import { ARENA_BOARD } from '../support/definitions.js';

/** Wide, because a log stamps with its own clock. */
export const season = { seasonId: '1', startsAt: Date.parse('2024-01-01'), endsAt: Date.parse('2029-01-01') };

export const boardSet: BoardSet = {
  modes: [{ mode: 'arena', fields: { points: { min: 0, max: 2_097_151 } } }],
  boards: [ARENA_BOARD],
  calendar: { seasons: [season], graceMs: 3_600_000 },
  maxLatenessMs: 7 * 86_400_000,
};

export function resultJson(fields: Record<string, unknown>): Buffer {
  const result = { matchId: 'm-1', playerId: 'pl-1', mode: 'arena', points: 5, achievedAt: Date.now(), ...fields };
  return Buffer.from(JSON.stringify(result));
}

export function newRecord(n: number, fields: Record<string, unknown> = {}): NewRecord {
  return { key: `pl-${n % 7}`, value: resultJson({ matchId: `m-${n}`, playerId: `pl-${n % 7}`, ...fields }) };
}

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  for (const limit = Date.now() + limitMs; Date.now() < limit; await sleep(10)) if (await condition()) return;
  throw new Error(`${what}: not within ${limitMs} ms`);
}

export class RecordedReports implements LogReports {
  readonly problems = new Map<string, string | null>();
  readonly history: string[] = [];
  readonly lags = new Map<number, number>();
  lostRecords = 0;

  ready(name: string): void {
    this.problems.set(name, null);
    this.history.push(`${name} ready`);
  }

  notReady(name: string, reason: string): void {
    this.problems.set(name, reason);
    this.history.push(`${name} not ready: ${reason}`);
  }

  lag(_group: string, partition: number, records: number): void {
    this.lags.set(partition, records);
  }

  lost(_group: string, _partition: number, records: number): void {
    this.lostRecords += records;
  }
}

/** Keeps positions as a store would, refuses batches that lie ahead, and fails on demand. */
export class RecordingConsumer implements PartitionConsumer {
  readonly next = new Map<number, number>();
  readonly records: (LogRecord & { readonly partition: number })[] = [];
  readonly batches: PartitionBatch[] = [];
  failure: Error | undefined;
  /** Consume waits for it. */
  gate: Promise<void> = Promise.resolve();
  running = 0;
  mostRunning = 0;

  async positions(_source: string, partitions: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (this.failure !== undefined) throw this.failure;
    return new Map(partitions.map((partition) => [partition, this.next.get(partition) ?? 0]));
  }

  async consume(batch: PartitionBatch): Promise<number> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      await this.gate;
      if (this.failure !== undefined) throw this.failure;
      this.batches.push(batch);
      const next = this.next.get(batch.partition) ?? 0;
      if (batch.from > next) return next;
      for (const record of batch.records) {
        if (record.offset >= next) this.records.push({ ...record, partition: batch.partition });
      }
      this.next.set(batch.partition, Math.max(next, batch.to));
      return Math.max(next, batch.to);
    } finally {
      this.running -= 1;
    }
  }

  /** Match ids in the order of consumption. */
  matchIds(partition?: number): string[] {
    return this.records
      .filter((record) => record.value !== null && (partition === undefined || record.partition === partition))
      .map((record) => JSON.parse(Buffer.from(record.value ?? []).toString()).matchId);
  }
}
