/** Property tests of a ranking: random histories against a brute-force ranking of raw points and times. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChangeSet, Entry } from '../../src/domain/change.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { bruteForce, type RawEntry } from './brute-force.js';
import {
  batchOf,
  MAX_SECOND,
  present,
  type RankingFactory,
  seasonEntry,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';
import { LOGS, RankingModel } from './ranking-model.js';

const PLAYERS = ['a', 'b', 'ab', 'B', 'é', 'Ａ', '😀', '\uE000', '{}', 'x:y', '10', '9'];
const RUNS = { numRuns: 40 };
const MIN_TIED = 0.3;

/** Five in six from a few at the edges of points and time: rows share points, time or both. The rest is anything. */
function rawEntry(maxPoints: number): fc.Arbitrary<RawEntry> {
  const few = [
    { points: 0, second: 0 },
    { points: 500, second: 9 },
    { points: maxPoints, second: 9 },
    { points: maxPoints, second: MAX_SECOND },
  ];
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...few) },
    { weight: 1, arbitrary: fc.record({ points: fc.nat(maxPoints), second: fc.nat(MAX_SECOND) }) },
  );
}

/** A delivery begins `back` below what was considered, or one above it, which leaves a hole. */
const delivery = fc.record({
  logIndex: fc.nat(LOGS.length - 1),
  back: fc.integer({ min: -1, max: 6 }),
  length: fc.nat(9),
});

/** Rows that share their packed score with another. */
function countTied(rows: readonly Entry[]): number {
  return rows.filter(({ score, rank }) => rows.some((row) => row.score === score && row.rank !== rank)).length;
}

/** Every kind of read equals the rows. */
async function expectReads(board: TestBoard, rows: readonly Entry[]): Promise<void> {
  const { ranking } = board;
  const list = board.ref();
  expect(await board.rows()).toEqual(rows);
  for (const [from, count] of [
    [1, 3],
    [3, 4],
    [rows.length, 2],
    [0, 2],
  ] as const) {
    const wanted = rows.filter((row) => row.rank >= from && row.rank < from + count);
    expect(await ranking.readRange(list, from, count)).toMatchObject({ total: rows.length, rows: wanted });
  }
  for (const { playerId, rank } of rows) {
    const wanted = rows.filter((row) => row.rank >= rank - 2 && row.rank <= rank + 1);
    expect(present(await ranking.readAround(list, playerId, 2, 1)).rows).toEqual(wanted);
  }
  const asked = rows.map(({ playerId }) => ({ playerId, above: 2, below: 1 }));
  const neighbours = present(
    await ranking.readNeighbours(list, [...asked, { playerId: 'nobody', above: 1, below: 1 }]),
  );
  expect(neighbours.rows).toEqual([
    ...rows.map(({ rank }) => rows.filter((row) => row.rank >= rank - 2 && row.rank <= rank + 1)),
    [],
  ]);
  const standings = PLAYERS.map(
    (playerId) => rows.find((row) => row.playerId === playerId) ?? { playerId, score: null, rank: null },
  );
  expect(present(await ranking.readPlayers(list, PLAYERS)).rows).toEqual(standings);
}

/** Applies each set as a reader does, who knows nothing of rules, and compares with what the board was at its seq. */
function expectFold(sets: readonly ChangeSet[], boards: ReadonlyMap<number, readonly Entry[]>): void {
  const scores = new Map<string, number>();
  for (const { changes, toSeq } of sets) {
    for (const { playerId, score } of changes) {
      if (score === null) throw new Error('no row goes away by results alone');
      scores.set(playerId, score);
    }
    expect(bruteForce(scores)).toEqual(boards.get(toSeq));
  }
}

export function describeProperties(factory: RankingFactory, definition: TagDefinition): void {
  const { boardOf } = useRanking(factory);
  const raw = rawEntry(definition.merge.maxTotal);
  const result = fc.tuple(fc.constantFrom(...PLAYERS), raw).map(([playerId, entry]) => ({ playerId, ...entry }));

  it('equals it after any deliveries, and so does the fold of its feed at every change', async () => {
    const log = fc.array(fc.option(result, { nil: undefined, freq: 5 }), { maxLength: 30 });
    const histories = fc.record({
      logs: fc.tuple(log, log, log),
      deliveries: fc.array(delivery, { maxLength: 25 }),
    });
    const seen = { rows: 0, tied: 0 };
    const check = async ({ logs, deliveries }: typeof histories extends fc.Arbitrary<infer T> ? T : never) => {
      const board = boardOf(definition);
      await board.fill();
      const seq = await board.seq();
      const feed = board.follow(seq);
      const model = new RankingModel(definition, logs);
      const boards = new Map<number, readonly Entry[]>();
      const rest = LOGS.map((_, logIndex) => ({ logIndex, back: 2, length: 300 }));
      for (const { logIndex, back, length } of [...deliveries, ...rest]) {
        const { batch, raw: delivered } = model.batch(logIndex, back, length);
        const expected = model.deliver(logIndex, batch, delivered);
        expect(await board.submitBatch(batch)).toEqual(expected);
        const rows = await board.rows();
        expect(rows).toEqual(model.rows());
        boards.set(seq + model.changes.length, rows);
        seen.rows += rows.length;
        seen.tied += countTied(rows);
      }
      const all = new RankingModel(definition);
      for (const record of logs.flat()) if (record) all.take(record);
      await expectReads(board, all.rows());
      expect(await board.seq()).toBe(seq + model.changes.length);
      if (model.changes.length > 0) await feed.reached(seq + model.changes.length);
      feed.close();
      expect(feed.allChanges).toEqual(model.changes);
      expectFold(feed.sets, boards);
    };
    await fc.assert(fc.asyncProperty(histories, check), RUNS);
    expect(seen.tied / seen.rows).toBeGreaterThan(MIN_TIED);
  });

  it('equals it after any fill with live results between its chunks', async () => {
    const chunk = fc.array(result, { maxLength: 12 });
    const steps = fc.array(fc.record({ chunk, live: chunk, isRepeated: fc.boolean() }), { maxLength: 6 });
    const check = async (parts: typeof steps extends fc.Arbitrary<infer T> ? T : never) => {
      const board = boardOf(definition);
      const model = new RankingModel(definition);
      const packed = (entry: RawEntry & { readonly playerId: string }) => ({
        playerId: entry.playerId,
        score: model.scoreOf(entry),
      });
      await board.begin({ jobId: 'job' });
      let next = 0;
      for (const [index, part] of parts.entries()) {
        const entries = part.chunk.map(packed).map(({ playerId, score }) => seasonEntry(playerId, score));
        const batch = batchOf(next, ...part.live.map(packed).map(({ playerId, score }) => [playerId, score] as const));
        next = batch.to;
        for (let sent = 0; sent < (part.isRepeated ? 2 : 1); sent += 1) {
          expect(await board.load('job', index, entries)).toBe('loaded');
          expect(await board.submitBatch(batch)).toMatchObject({ kind: 'done', next });
        }
        for (const taken of [...part.chunk, ...part.live]) model.take(taken);
      }
      await board.finish('job', parts.length);
      await expectReads(board, model.rows());
    };
    await fc.assert(fc.asyncProperty(steps, check), RUNS);
  });
}
