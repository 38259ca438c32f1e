import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import { PostgresLog } from '../../src/results/postgres-log.js';
import { appendRows } from '../../src/results/postgres-rows.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { newRecord, RecordedReports, RecordingConsumer, until } from './log-fixture.js';

let database: TruthDatabase;
let log: PostgresLog;
let reports: RecordedReports;
beforeEach(async () => {
  database = await createTruthDatabase();
  reports = new RecordedReports();
  log = new PostgresLog({ database: database.access, reports, logger: silent });
});
afterEach(async () => {
  await log.close();
  await database.drop();
});

const readSeqs = async () =>
  (await database.ask<{ seq: number }>('SELECT log_seq::int AS seq FROM result_log ORDER BY 1')).map(({ seq }) => seq);

describe('PostgreSQL as the log', () => {
  it('brings appended records to two groups, in order and at once', async () => {
    const groups = [new RecordingConsumer(), new RecordingConsumer()];
    await Promise.all(groups.map((consumer, index) => log.consume(`g${index}`, consumer)));
    const ids = Array.from({ length: 2_500 }, (_, n) => `m-${n}`);
    const startedAt = Date.now();
    await log.append([newRecord(0)]);
    await until('the first record', () => groups.every(({ records }) => records.length === 1));
    // LISTEN wakes the readers; their own look comes once a second.
    expect(Date.now() - startedAt).toBeLessThan(900);
    await log.append(ids.slice(1).map((_, n) => newRecord(n + 1)));
    await until('all records', () => groups.every(({ records }) => records.length === ids.length));
    for (const consumer of groups) {
      expect(consumer.matchIds()).toEqual(ids);
      expect(consumer.next.get(0)).toBe(2_501);
    }
    expect(reports.lags.get(0)).toBe(0);
  });

  it('has neither gap nor disorder when appends of several processes fail and dawdle', async () => {
    const consumer = new RecordingConsumer();
    await log.consume('g', consumer);
    const others = [1, 2, 3].map(() => database.newPool({ maxConnections: 2 }));
    const sent: string[] = [];
    const work = others.map(async (pool, process) => {
      for (let round = 0; round < 15; round += 1) {
        const client = await pool.connect();
        const n = process * 1_000 + round;
        await client.query('BEGIN');
        await appendRows(client, [newRecord(n), newRecord(n + 500)]);
        if (round % 4 === 1) await sleep(15);
        const isKept = round % 3 !== 2;
        await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
        if (isKept) sent.push(`m-${n}`, `m-${n + 500}`);
        client.release();
      }
    });
    const own = Array.from({ length: 20 }, (_, round) => log.append([newRecord(9_000 + round)]));
    await Promise.all([...work, ...own]);
    const total = sent.length + own.length;
    await until('all records', () => consumer.records.length >= total);
    const seqs = await readSeqs();
    expect(seqs).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(consumer.records.map(({ offset }) => offset)).toEqual(seqs);
    const stamps = consumer.records.map(({ brokerAt }) => brokerAt);
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    for (const id of sent) expect(consumer.matchIds()).toContain(id);
  });

  it('stamps with a clock that never runs back', async () => {
    await database.ask(`UPDATE log_head SET last_at = clock_timestamp() + interval '1 hour'`);
    await log.append([newRecord(1)]);
    const rows = await database.ask(
      `SELECT broker_at > clock_timestamp() + interval '59 minutes' AS kept FROM result_log`,
    );
    expect(rows).toEqual([{ kept: true }]);
  });

  it('goes on where the consumer says, after a restart and after its store went back', async () => {
    const consumer = new RecordingConsumer();
    const first = await log.consume('g', consumer);
    await log.append([1, 2, 3, 4].map((n) => newRecord(n)));
    await until('four records', () => consumer.records.length === 4);
    await first.close();
    consumer.next.set(0, 3);
    await log.consume('g', consumer);
    await until('two again', () => consumer.records.length === 6);
    expect(consumer.matchIds().slice(4)).toEqual(['m-3', 'm-4']);
    consumer.next.set(0, 2);
    await until('three again', () => consumer.records.length === 9);
    expect(consumer.matchIds().slice(6)).toEqual(['m-2', 'm-3', 'm-4']);
  });

  it('loses nothing while the consumer fails, nor when its connections are ended', async () => {
    const consumer = new RecordingConsumer();
    await log.consume('g', consumer);
    consumer.failure = new StoreUnavailableError('away');
    await log.append([newRecord(1), newRecord(2)]);
    await until('not ready', () => reports.problems.get('g') === 'away');
    const pids = database.ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'rankcast' AND query LIKE 'LISTEN "rankcast_log_' || md5(current_schema()) || '"'`,
    );
    expect(await pids).toHaveLength(1);
    consumer.failure = undefined;
    await log.append([newRecord(3)]);
    await until('all three', () => consumer.records.length === 3);
    expect(consumer.matchIds()).toEqual(['m-1', 'm-2', 'm-3']);
    expect(reports.problems.get('g')).toBeNull();
  });

  it('refuses a log that ends below the position', async () => {
    const consumer = new RecordingConsumer();
    consumer.next.set(0, 50);
    await expect(log.consume('g', consumer)).rejects.toBeInstanceOf(StartRefusedError);
  });

  it('trims what truth has considered and is older than a day, and nothing else', async () => {
    await log.append([1, 2, 3, 4].map((n) => newRecord(n)));
    await database.ask(`UPDATE result_log SET broker_at = broker_at - interval '25 hours' WHERE log_seq <> 2`);
    await log.trim();
    expect(await readSeqs()).toEqual([1, 2, 3, 4]);
    await database.ask(`INSERT INTO source_position VALUES ('postgres', 0, 4)`);
    await log.trim();
    expect(await readSeqs()).toEqual([2, 4]);
    const consumer = new RecordingConsumer();
    await log.consume('g', consumer);
    await until('what is left', () => consumer.records.length === 2);
    expect(consumer.matchIds()).toEqual(['m-2', 'm-4']);
    expect(reports.lostRecords).toBe(2);
  });

  it('trims all that may go at once, however much a busy day left', async () => {
    await database.ask(`INSERT INTO result_log (log_seq, key, value, broker_at)
      SELECT n, '', '', clock_timestamp() - interval '25 hours' FROM generate_series(1, 20001) AS n`);
    await database.ask(`UPDATE log_head SET last = 20001`);
    await database.ask(`INSERT INTO source_position VALUES ('postgres', 0, 20001)`);
    await log.trim();
    expect(await readSeqs()).toEqual([20_001]);
  });

  it('stops a group that has read more than a restored database holds, also when that has grown past it again', async () => {
    const consumer = new RecordingConsumer();
    await log.consume('g', consumer);
    await log.append([1, 2, 3, 4].map((n) => newRecord(n)));
    await until('four records', () => consumer.records.length === 4);
    await database.ask('DELETE FROM result_log WHERE log_seq > 2');
    await database.ask('UPDATE log_head SET last = 2');
    await until('not ready', () => /ends at 3, but g has read up to 5.*restart/.test(reports.problems.get('g') ?? ''));
    await log.append([11, 12, 13, 14].map((n) => newRecord(n)));
    expect(await readSeqs()).toEqual([1, 2, 3, 4, 5, 6]);
    const other = new RecordingConsumer();
    await log.consume('other', other);
    await until('all six by another group', () => other.records.length === 6);
    expect(consumer.records).toHaveLength(4);
    expect(reports.problems.get('g')).toMatch('restart');
  });

  it('rejects an append that the database did not take', async () => {
    await database.ask('DELETE FROM log_head');
    await expect(log.append([newRecord(1)])).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
