import { expect, it } from 'vitest';
import { MAX_COPIES, readControlRecord } from '../../src/domain/control-record.js';
import type { ListedResult } from '../../src/domain/lists.js';
import type { TruthDoubt } from '../../src/domain/truth-batch.js';
import { recomputeRecords } from '../../src/results/recompute-records.js';
import { readRecord } from '../../src/results/record-parser.js';
import { boardSet } from './log-fixture.js';

const copy = (achievedAt: number, guild = '7'): ListedResult => ({ achievedAt, scopes: { guild } });

function doubt(playerId: string, partitions: readonly number[], ...copies: readonly ListedResult[]): TruthDoubt {
  return { playerId, offset: 0, partitions, copies };
}

function asked(...doubts: readonly TruthDoubt[]) {
  return recomputeRecords(doubts).map(({ key, value, partition }) => {
    const record = readControlRecord(JSON.parse(Buffer.from(value).toString()), boardSet);
    if (record?.kind !== 'recompute') throw new Error('expected a record that asks for a player');
    expect(record.playerId).toBe(key);
    return { key, partition, copies: record.copies };
  });
}

it('asks once for each player and partition, with all the places where his copies count', () => {
  const doubts = [
    doubt('a', [0], copy(1), copy(2)),
    doubt('a', [0, 1], copy(2), copy(2, '8')),
    doubt('b', [1], copy(1)),
  ];
  expect(asked(...doubts)).toEqual([
    { key: 'a', partition: 0, copies: [copy(1), copy(2), copy(2, '8')] },
    { key: 'a', partition: 1, copies: [copy(2), copy(2, '8')] },
    { key: 'b', partition: 1, copies: [copy(1)] },
  ]);
});

it('names a place once, in whichever order the scopes stand', () => {
  const one = { achievedAt: 1, scopes: { guild: '7', region: 'eu' } };
  const same = { achievedAt: 1, scopes: { region: 'eu', guild: '7' } };
  expect(asked(doubt('a', [0], one, same))).toEqual([{ key: 'a', partition: 0, copies: [one] }]);
});

it('writes several records rather than a large one, and none is more than a reader takes', () => {
  const names = Array.from({ length: 16 }, (_, n) => `${n}`.padStart(32, 'x'));
  const widest = (n: number): ListedResult => ({
    achievedAt: -(2 ** 53 - 1) + n,
    scopes: Object.fromEntries(names.map((name) => [name, '"'.repeat(64)])),
  });
  const playerId = '\\'.repeat(64);
  const copies = Array.from({ length: 2 * MAX_COPIES + 1 }, (_, n) => widest(n));
  const records = recomputeRecords([doubt(playerId, [0], ...copies)]);
  const read = records.map(({ value }) => readRecord({ offset: 0, key: null, value, brokerAt: 0 }, boardSet));
  expect(read.flatMap((one) => (one.kind === 'recompute' ? [one.copies.length] : []))).toEqual([
    MAX_COPIES,
    MAX_COPIES,
    1,
  ]);
  expect(read.flatMap((one) => (one.kind === 'recompute' ? one.copies : []))).toEqual(copies);
});

it('asks also where nothing says which lists are concerned', () => {
  expect(asked(doubt('a', [3]))).toEqual([{ key: 'a', partition: 3, copies: [] }]);
});
