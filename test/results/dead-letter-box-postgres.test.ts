import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogRecord } from '../../src/domain/log-record.js';
import type { WaitingLetter } from '../../src/results/dead-letter-box.js';
import { PostgresDeadLetterBox } from '../../src/results/dead-letter-box-postgres.js';
import type { DeadLetter } from '../../src/results/dead-letters.js';
import { PostgresLog } from '../../src/results/postgres-log.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { newRecord, RecordedReports, RecordingConsumer, until } from './log-fixture.js';

let database: TruthDatabase;
let log: PostgresLog;
let box: PostgresDeadLetterBox;
beforeEach(async () => {
  database = await createTruthDatabase();
  log = new PostgresLog({ database: database.access, reports: new RecordedReports(), logger: silent });
  box = new PostgresDeadLetterBox(database.access);
});
afterEach(async () => {
  await log.close();
  await database.drop();
});

function letter(offset: number, reason: string, record: Partial<LogRecord> = {}): DeadLetter {
  const whole = { offset, key: Buffer.from('pl-1'), value: Buffer.from(`${offset}`), brokerAt: 1, ...record };
  return { source: log.source, partition: 0, record: whole, reason, detail: 'because' };
}

/** Appends so many records and makes letters of them, as truth does. */
async function refuse(reasons: readonly string[], records: readonly Partial<LogRecord>[] = []): Promise<void> {
  const [head] = await database.ask<{ last: number }>('SELECT last::int AS "last" FROM log_head');
  await log.append(reasons.map((_, n) => newRecord(n)));
  const first = (head?.last ?? 0) + 1;
  await log.deadLetters.write(reasons.map((reason, n) => letter(first + n, reason, records[n])));
}

async function replay(reason: string | null = null): Promise<{ sent: (number | null)[]; left: number }> {
  const sent: (number | null)[] = [];
  const left = await box.replay(reason, (letters) => sent.push(...letters.map(({ offset }) => offset)));
  return { sent, left };
}

async function waiting(): Promise<WaitingLetter[]> {
  const all: WaitingLetter[] = [];
  await box.read((letters) => all.push(...letters) > 0);
  return all;
}

interface LogRow {
  readonly seq: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

const rowsAfter = (seq: number): Promise<LogRow[]> =>
  database.ask('SELECT log_seq::int AS seq, key, value FROM result_log WHERE log_seq > $1 ORDER BY 1', [seq]);

describe('replaying the dead letters of PostgreSQL', () => {
  it('sends every record once, as it came: binary, without a key, behind what is in the log', async () => {
    const binary = { key: Buffer.from([0, 255, 1]), value: Buffer.from([0xc3, 0x28, 0, 10]) };
    await refuse(['bad_utf8', 'bad_json'], [binary, { key: null }]);
    expect(await replay()).toEqual({ sent: [1, 2], left: 0 });
    expect(await replay()).toEqual({ sent: [], left: 0 });
    expect(await rowsAfter(2)).toEqual([
      { seq: 3, ...binary },
      { seq: 4, key: null, value: Buffer.from('2') },
    ]);
    await log.append([newRecord(9)]);
    expect((await rowsAfter(4)).map(({ seq }) => seq)).toEqual([5]);
  });

  it('leaves the letters of other reasons, and sends them with the next one, in order', async () => {
    await refuse(['a', 'b', 'a', 'c', 'b']);
    expect(await replay('b')).toEqual({ sent: [2, 5], left: 3 });
    expect(await replay('b')).toEqual({ sent: [], left: 3 });
    expect((await waiting()).map(({ offset }) => offset)).toEqual([1, 3, 4]);
    expect(await replay()).toEqual({ sent: [1, 3, 4], left: 0 });
    const values = (await rowsAfter(5)).map(({ value }) => value?.toString());
    expect(values).toEqual(['2', '5', '1', '3', '4']);
  });

  it('marks a letter and appends its record together or not at all', async () => {
    await refuse(['a', 'a']);
    await database.ask(`ALTER TABLE result_log ADD CONSTRAINT full_disk CHECK (log_seq < 4)`);
    await expect(replay()).rejects.toThrow(/full_disk/);
    expect(await waiting()).toHaveLength(2);
    expect(await rowsAfter(2)).toEqual([]);
    await database.ask('ALTER TABLE result_log DROP CONSTRAINT full_disk');
    expect(await replay()).toEqual({ sent: [1, 2], left: 0 });
    expect((await rowsAfter(2)).map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('ends where the log ended when it began: what is refused again waits for the next', async () => {
    await refuse(Array.from({ length: 600 }, () => 'a'));
    let pieces = 0;
    const refused: Promise<void>[] = [];
    const left = await box.replay(null, (letters) => {
      // What was sent is refused again at once, while the rest is still being sent.
      const again = letters.map((_, n) => letter(601 + 500 * pieces + n, 'a'));
      refused.push(log.deadLetters.write(again));
      pieces += 1;
    });
    await Promise.all(refused);
    expect({ pieces, left }).toEqual({ pieces: 2, left: 0 });
    expect((await waiting()).map(({ offset }) => offset)).toEqual(Array.from({ length: 600 }, (_, n) => 601 + n));
  });

  it('sends nothing twice and leaves no gap while others replay and append', async () => {
    await refuse(Array.from({ length: 1_200 }, () => 'a'));
    const others = [1, 2].map(() => new PostgresDeadLetterBox(database.access));
    const counts = [0, 0, 0];
    const work = [box, ...others].map((one, index) =>
      one.replay(null, (letters) => {
        counts[index] = (counts[index] ?? 0) + letters.length;
      }),
    );
    const appends = Array.from({ length: 20 }, (_, n) => log.append([newRecord(n)]));
    await Promise.all([...work, ...appends]);
    expect(counts.reduce((total, count) => total + count, 0)).toBe(1_200);
    const seqs = (await rowsAfter(1_200)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 1_220 }, (_, n) => 1_201 + n));
  });

  it('brings the records to who reads the log', async () => {
    await refuse(['a']);
    const consumer = new RecordingConsumer();
    const subscription = await log.consume('g', consumer);
    await until('what was there', () => consumer.records.length === 1);
    await replay();
    await until('the record', () => consumer.records.length === 2);
    await subscription.close();
    expect(consumer.records[1]).toMatchObject({ offset: 2, value: Buffer.from('1') });
  });

  it('shows what waits and changes nothing', async () => {
    await refuse(['a'], [{ key: null }]);
    const [shown] = await waiting();
    expect(shown).toMatchObject({ source: 'postgres', partition: 0, offset: 1, reason: 'a', detail: 'because' });
    expect(shown).toMatchObject({ key: null, value: Buffer.from('1'), truncated: null });
    expect(Math.abs(Date.parse(shown?.at ?? '') - Date.now())).toBeLessThan(60_000);
    expect(await replay()).toEqual({ sent: [1], left: 0 });
  });
});
