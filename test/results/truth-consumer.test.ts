import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import type { DeadLetter, DeadLetters } from '../../src/results/dead-letters.js';
import type { NewRecord } from '../../src/results/result-log.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';
import { boardSet, resultJson } from './log-fixture.js';

const AT = Date.now();
const DAY_MS = 86_400_000;

class RecordedLetters implements DeadLetters {
  readonly letters: DeadLetter[] = [];
  failure: Error | undefined;
  async write(letters: readonly DeadLetter[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.letters.push(...letters);
  }
  get summary(): string[] {
    return this.letters.map(({ record, reason }) => `${record.offset} ${reason}`);
  }
}

let database: TruthDatabase;
let letters: RecordedLetters;
let appended: NewRecord[];
let counts: Map<string, number>;
let consumer: TruthConsumer;
beforeEach(async () => {
  database = await createTruthDatabase();
  letters = new RecordedLetters();
  appended = [];
  counts = new Map();
  consumer = new TruthConsumer({
    store: new MatchResultsPostgres({ pool: database.pool, ...boardSet }),
    deadLetters: letters,
    log: { append: async (records) => void appended.push(...records) },
    boardSet,
    counters: { count: (outcome, n) => counts.set(outcome, (counts.get(outcome) ?? 0) + n) },
  });
});
afterEach(() => database.drop());

/** Values in order from an offset on; `undefined` is an offset that the log does not have. */
function batch(from: number, values: readonly (Uint8Array | null | undefined)[], partition = 0): PartitionBatch {
  const records = values.flatMap((value, index): LogRecord[] =>
    value === undefined ? [] : [{ offset: from + index, key: null, value, brokerAt: Date.now() }],
  );
  return { source: 'kafka:t', partition, from, to: from + values.length, records };
}

const result = (n: number, fields: Record<string, unknown> = {}) =>
  resultJson({ matchId: `m-${n}`, achievedAt: AT, ...fields });

async function matches(): Promise<string[]> {
  const rows = await database.ask<{ match_id: string }>('SELECT match_id FROM match_results ORDER BY 1');
  return rows.map(({ match_id }) => match_id);
}

describe('the truth group', () => {
  it('stores the neighbours of poison, letters the poison and moves on', async () => {
    const values = [
      result(0),
      Buffer.from('{"points":'),
      result(2),
      null,
      Buffer.from([0xff]),
      result(5, { points: -1 }),
      result(6),
    ];
    expect(await consumer.consume(batch(0, values))).toBe(7);
    expect(await matches()).toEqual(['m-0', 'm-2', 'm-6']);
    expect(letters.summary).toEqual(['1 bad_json', '4 bad_utf8', '5 points_out_of_range']);
    expect(letters.letters[0]?.record.value).toEqual(Buffer.from('{"points":'));
    expect(Object.fromEntries(counts)).toEqual({ inserted: 3, rejected: 3 });
  });

  it('letters a value that only PostgreSQL refuses, beside neighbours in other partitions', async () => {
    await database.ask(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no such value' USING ERRCODE = '22023'; END $$`);
    await database.ask(`CREATE TRIGGER refuse BEFORE INSERT ON match_results FOR EACH ROW
      WHEN (NEW.match_id = 'm-1') EXECUTE FUNCTION refuse()`);
    const poison = result(1);
    const nexts = await Promise.all([
      consumer.consume(batch(0, [result(0), poison, result(2)])),
      consumer.consume(batch(0, [result(3)], 1)),
    ]);
    expect(nexts).toEqual([3, 1]);
    expect(await matches()).toEqual(['m-0', 'm-2', 'm-3']);
    expect(letters.summary).toEqual(['1 not_storable']);
    // Rankings have counted it.
    expect(appended.map(({ key, partition }) => [key, partition])).toEqual([['pl-1', 0]]);
  });

  it('letters a result of a detached day once, and has rankings take it out again', async () => {
    const day = new Date(AT - DAY_MS).toISOString().slice(0, 10);
    const late = { achievedAt: AT - DAY_MS };
    await consumer.consume(batch(0, [result(0, late)]));
    await database.ask(`ALTER TABLE match_results DETACH PARTITION match_results_${day.replaceAll('-', '')}`);
    await database.ask('INSERT INTO detached_day (day) VALUES ($1)', [day]);
    const next = batch(1, [result(1, late), result(2, { playerId: 'pl-2' })]);
    expect([await consumer.consume(next), await consumer.consume(next)]).toEqual([3, 3]);
    expect(await matches()).toEqual(['m-2']);
    expect(letters.summary).toEqual(['1 day_detached']);
    const asked = { kind: 'recompute', playerId: 'pl-1', copies: [{ ...late, scopes: {} }] };
    expect(appended.map(({ value }) => JSON.parse(String(value)))).toEqual([asked]);
  });

  it('counts a redelivery as duplicates and letters nothing again', async () => {
    const same = batch(0, [result(0), Buffer.from('?'), result(0, { points: 9 })]);
    await consumer.consume(same);
    await consumer.consume(same);
    expect(letters.summary).toEqual(['1 bad_json', '2 conflicting_result']);
    expect(counts.get('inserted')).toBe(1);
    expect(counts.get('duplicate')).toBe(1);
    expect(await matches()).toEqual(['m-0']);
  });

  it('asks for a player to be computed anew behind a conflict and behind a copy from another partition', async () => {
    const asked = () => appended.map(({ key, value, partition }) => [key, partition, JSON.parse(String(value))]);
    const of = (playerId: string) => ({ kind: 'recompute', playerId, copies: [{ achievedAt: AT, scopes: {} }] });
    const first = batch(0, [result(0), result(0), result(1, { playerId: 'pl-2' })]);
    await consumer.consume(first);
    expect(asked()).toEqual([]);
    await consumer.consume(batch(3, [result(0, { points: 9 }), result(0, { points: 8 })]));
    expect(asked()).toEqual([['pl-1', 0, of('pl-1')]]);
    await consumer.consume(batch(0, [result(1, { playerId: 'pl-2' })], 1));
    expect(asked().slice(1)).toEqual([
      ['pl-2', 0, of('pl-2')],
      ['pl-2', 1, of('pl-2')],
    ]);
    // Read again after a crash: what was asked then is not asked once more.
    await consumer.consume(batch(3, [result(0, { points: 9 })]));
    await consumer.consume(first);
    expect(appended).toHaveLength(3);
  });

  it('passes over a record that asks for a player, and letters one that names none', async () => {
    const records = [{ kind: 'recompute', playerId: 'pl-1' }, { kind: 'recompute' }, { kind: 'ban', playerId: 'pl-1' }];
    const values = records.map((record) => Buffer.from(JSON.stringify(record)));
    expect(await consumer.consume(batch(0, values))).toBe(3);
    expect(letters.summary).toEqual(['1 missing', '2 unknown_kind']);
  });

  it('moves nothing while its dead letters cannot be written', async () => {
    letters.failure = new StoreUnavailableError('no broker');
    const poisoned = batch(0, [result(0), Buffer.from('?')]);
    await expect(consumer.consume(poisoned)).rejects.toThrow('no broker');
    expect(await matches()).toEqual([]);
    expect(await consumer.positions('kafka:t', [0])).toEqual(new Map([[0, 0]]));
    letters.failure = undefined;
    expect(await consumer.consume(poisoned)).toBe(2);
    expect(letters.summary).toEqual(['1 bad_json']);
  });

  it('ends a transaction by its dead letters, too', async () => {
    const sizes: number[] = [];
    const write = letters.write.bind(letters);
    letters.write = (some) => {
      sizes.push(some.length);
      return write(some);
    };
    const poison = Array.from({ length: 3_000 }, () => Buffer.from('?'));
    await Promise.all([0, 1].map((partition) => consumer.consume(batch(0, poison, partition))));
    expect(sizes).toEqual([3_000, 3_000]);
  });

  it('answers where truth stands when a batch lies ahead, and letters nothing of it', async () => {
    expect(await consumer.consume(batch(0, [result(0), result(1)]))).toBe(2);
    await database.ask('UPDATE source_position SET next = 1');
    expect(await consumer.consume(batch(2, [result(2), Buffer.from('?')]))).toBe(1);
    expect(await matches()).toEqual(['m-0', 'm-1']);
    expect(letters.summary).toEqual([]);
    expect(await consumer.consume(batch(1, [result(1), result(2), Buffer.from('?')]))).toBe(4);
    expect(await matches()).toEqual(['m-0', 'm-1', 'm-2']);
    expect(letters.summary).toEqual(['3 bad_json']);
  });
});
