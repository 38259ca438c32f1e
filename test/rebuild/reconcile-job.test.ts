import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReconcileJob, type ReconcileJobOptions } from '../../src/app/reconcile-job.js';
import { boardSeasonOf } from '../support/definitions.js';

const HOUR_MS = 3_600_000;
const SCOPES = [boardSeasonOf(), boardSeasonOf({ boardId: 'duel' })];
const NOTHING = { compared: 5, differing: 0, marked: 0 };

let done: string[];
let counted: (readonly [boardId: string, rows: number])[];
let job: ReconcileJob | undefined;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  done = [];
  counted = [];
});
afterEach(async () => {
  await job?.close();
  vi.useRealTimers();
});

function start(options: Partial<ReconcileJobOptions> = {}): void {
  job = new ReconcileJob({
    everyMs: 24 * HOUR_MS,
    scopes: () => SCOPES,
    reconcile: async ({ name }) => {
      done.push(name);
      return NOTHING;
    },
    count: (...call) => void counted.push(call),
    logger: pino({ level: 'silent' }),
    random: () => 0.5,
    ...options,
  });
  job.start();
}

it('reconciles one board after another, first after a part of the time and then each time', async () => {
  start();
  await vi.advanceTimersByTimeAsync(12 * HOUR_MS - 1);
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toEqual(['arena:s1', 'duel:s1']);
  await vi.advanceTimersByTimeAsync(24 * HOUR_MS - 1);
  expect(done).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toHaveLength(4);
});

it('counts the rows of each board, and goes on after one that fails', async () => {
  const lines: string[] = [];
  start({
    logger: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }),
    reconcile: async ({ name }) => {
      if (name === 'arena:s1') throw new Error('the database is away');
      return { compared: 5, differing: 3, marked: 2 };
    },
  });
  await vi.advanceTimersByTimeAsync(12 * HOUR_MS);
  expect(counted).toEqual([['duel', 3]]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { tag: 'arena:s1', err: { message: 'the database is away' } },
    { tag: 'duel:s1', compared: 5, differing: 3, marked: 2 },
  ]);
});

it('counts nothing of a board that is not there', async () => {
  start({ reconcile: async () => null });
  await vi.advanceTimersByTimeAsync(12 * HOUR_MS);
  expect(counted).toEqual([]);
});

it('ends a reconcile that is under way, and begins no other', async () => {
  start({
    reconcile: async ({ name }, signal) => {
      done.push(name);
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await vi.advanceTimersByTimeAsync(12 * HOUR_MS);
  await job?.close();
  expect(done).toEqual(['arena:s1']);
});
