/** What the truth group makes of orders and of what its store answers to them; the store here is a script. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import type { RefusedOrder, TruthBatch, TruthDoubt, TruthReply } from '../../src/domain/truth-batch.js';
import type { NewRecord } from '../../src/results/result-log.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { boardSet, resultJson } from './log-fixture.js';

const AT = Date.now();

let written: TruthBatch[];
/** How many batches each had. */
let transactions: number[];
let letters: string[];
let appended: NewRecord[];
let counts: Map<string, number>;
beforeEach(() => {
  written = [];
  transactions = [];
  letters = [];
  appended = [];
  counts = new Map();
});

type Answer = Partial<Extract<TruthReply, { kind: 'written' }>>;

/** Its store answers each batch so. */
function newConsumer(answer: Answer = {}, boards: readonly Board[] = [ARENA_BOARD]): TruthConsumer {
  const nothing = { before: 0, inserted: 0, duplicates: 0, conflicts: [], doubts: [], refused: [], detached: [] };
  return new TruthConsumer({
    store: {
      positions: async () => new Map(),
      findRefused: async () => [],
      write: async (batches, beforeCommit) => {
        written.push(...batches);
        transactions.push(batches.length);
        const replies = batches.map(({ to }): TruthReply => ({ kind: 'written', next: to, ...nothing, ...answer }));
        await beforeCommit(replies);
        return replies;
      },
    },
    deadLetters: {
      write: async (some) => void letters.push(...some.map(({ record, reason }) => `${record.offset} ${reason}`)),
    },
    log: { append: async (records) => void appended.push(...records) },
    boardSet: { ...boardSet, boards },
    counters: { count: (outcome, n) => counts.set(outcome, (counts.get(outcome) ?? 0) + n) },
  });
}

function batch(values: readonly object[], partition = 0): PartitionBatch {
  const records = values.map((value, offset): LogRecord => {
    return { offset, key: null, value: Buffer.from(JSON.stringify(value)), brokerAt: AT + offset };
  });
  return { source: 'kafka:t', partition, from: 0, to: values.length, records };
}

const ids = { matchId: 'm-1', playerId: 'pl-1' };
const VOID = { kind: 'void', ...ids };
const CORRECT = { kind: 'correct', ...ids, points: 9 };

const correction = (offset: number): RefusedOrder => ({
  order: { ...ids, mode: 'arena', fields: { points: 9 }, offset, brokerAt: AT },
  reason: 'correction_mismatch',
  detail: 'the result is one of another mode',
});

const doubt = (offset: number, playerId = 'pl-1'): TruthDoubt => {
  return { playerId, offset, partitions: [0], copies: [{ achievedAt: AT, scopes: { guild: '77' } }] };
};

describe('the truth group', () => {
  it('brings orders to the store where they stand in the log, beside the results', async () => {
    const result: object = JSON.parse(resultJson({ achievedAt: AT }).toString());
    const hides = ['hide', 'unhide'].map((kind) => ({ kind, playerId: 'pl-2' }));
    await newConsumer().consume(batch([result, VOID, CORRECT, ...hides]));
    const [one] = written;
    expect(one?.rows.map(({ offset }) => offset)).toEqual([0]);
    expect(one?.voids).toEqual([{ ...ids, offset: 1, brokerAt: AT + 1 }]);
    expect(one?.corrections).toEqual([{ ...ids, mode: 'arena', fields: { points: 9 }, offset: 2, brokerAt: AT + 2 }]);
    expect(one?.hides).toEqual([
      { playerId: 'pl-2', isHidden: true, offset: 3, brokerAt: AT + 3 },
      { playerId: 'pl-2', isHidden: false, offset: 4, brokerAt: AT + 4 },
    ]);
    expect(letters).toEqual([]);
  });

  it('letters corrections that the store does not take, but not what an earlier call has lettered', async () => {
    const refused = [correction(0), correction(1)];
    await newConsumer({ before: 1, refused }).consume(batch([CORRECT, CORRECT]));
    expect(letters).toEqual(['1 correction_mismatch']);
    expect(counts.get('rejected')).toBe(1);
  });

  it('ends a transaction by its orders, too', async () => {
    const consumer = newConsumer();
    const hides = Array.from({ length: 3_000 }, () => ({ kind: 'hide', playerId: 'pl-1' }));
    const corrections = Array.from({ length: 3_000 }, () => CORRECT);
    await Promise.all([consumer.consume(batch(hides)), consumer.consume(batch(corrections, 1))]);
    expect(transactions).toEqual([1, 1]);
  });
});

describe('doubts of the store', () => {
  const doubts = [doubt(0), doubt(1), doubt(2, 'pl-2'), doubt(3, 'pl-3')];
  const values = [VOID, CORRECT, { ...VOID, matchId: 'm-2' }, { kind: 'hide', playerId: 'pl-3' }];
  const guilds = { ...ARENA_BOARD, boardId: 'guilds', subject: 'guild' };

  it('are not asked for where the record itself has marked the player: no board ranks a scope', async () => {
    await newConsumer({ doubts }).consume(batch(values));
    expect(appended.map(({ key }) => key)).toEqual(['pl-3']);
  });

  it('are asked for where a board ranks a scope, with the places where the copies count', async () => {
    await newConsumer({ doubts }, [ARENA_BOARD, guilds]).consume(batch(values));
    expect(appended.map(({ key }) => key)).toEqual(['pl-1', 'pl-2', 'pl-3']);
    expect(JSON.parse(String(appended[0]?.value))).toEqual({
      kind: 'recompute',
      playerId: 'pl-1',
      copies: [{ achievedAt: AT, scopes: { guild: '77' } }],
    });
  });

  it('are asked for once: what lies below the position was asked by an earlier call', async () => {
    await newConsumer({ doubts, before: 2 }, [guilds]).consume(batch(values));
    expect(appended.map(({ key }) => key)).toEqual(['pl-2', 'pl-3']);
  });

  it('move nothing while what they ask for is not durable', async () => {
    const consumer = newConsumer({ doubts });
    appended.push = () => {
      throw new StoreUnavailableError('no broker');
    };
    await expect(consumer.consume(batch(values))).rejects.toThrow('no broker');
    expect(counts.size).toBe(0);
  });
});
