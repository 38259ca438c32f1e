/** Property tests of a ranking: random histories against a brute-force ranking. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../src/domain/change.js';
import type { SubmitBatch, SubmitReply } from '../../src/ranking/ranking.js';
import { bruteForce, bruteForceRank } from './brute-force.js';
import { AT, DEFINITION, present, type RankingFactory, TestBoard, useRanking } from './ranking-fixture.js';

const PLAYERS = ['a', 'b', 'ab', 'B', 'é', 'Ａ', '😀', '\uE000', '{}', 'x:y', '10', '9'];
const LOGS = [
  { source: 'kafka:match-results', partition: 0 },
  { source: 'kafka:match-results', partition: 1 },
  { source: 'postgres', partition: 0 },
];
const RUNS = { numRuns: 40 };

/** Two in three from five scores: with that, far more than 30 % of the rows share their score with another. */
const score = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, 7, 500 * 2 ** 32, 500 * 2 ** 32 + 1, 2 ** 53 - 1) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
);
const result = fc.record({ playerId: fc.constantFrom(...PLAYERS), score });
/** `undefined`: an offset that holds nothing for the tag. */
const log = fc.array(fc.option(result, { nil: undefined, freq: 5 }), { maxLength: 30 });
/** A delivery begins `back` below what was considered, or one above it, which leaves a hole. */
const delivery = fc.record({
  logIndex: fc.nat(LOGS.length - 1),
  back: fc.integer({ min: -1, max: 6 }),
  length: fc.nat(9),
});

type LogRecords = readonly ({ readonly playerId: string; readonly score: number } | undefined)[];

/** What a ranking must be after any deliveries: a position per log, and each player's best. */
class Model {
  readonly best = new Map<string, number>();
  private readonly next = LOGS.map(() => 0);

  constructor(private readonly logs: readonly LogRecords[]) {}

  batch(logIndex: number, back: number, length: number): SubmitBatch {
    const records = this.logs[logIndex] ?? [];
    const from = Math.max((this.next[logIndex] ?? 0) - back, 0);
    const to = Math.max(Math.min(from + length, records.length), from);
    const results = records
      .slice(from, to)
      .flatMap((record, index) => (record ? [{ ...record, offset: from + index, at: AT }] : []));
    return { ...(LOGS[logIndex] ?? { source: '', partition: 0 }), from, to, results };
  }

  expected(logIndex: number, { from, to, results }: SubmitBatch): SubmitReply {
    const next = this.next[logIndex] ?? 0;
    if (from > next) return { kind: 'behind', next };
    const outcomes = results.map(({ playerId, score: incoming, offset }) => {
      if (offset < next) return 'skipped';
      const current = this.best.get(playerId);
      if (current !== undefined && current >= incoming) return 'no-record';
      this.best.set(playerId, incoming);
      return 'applied';
    });
    const moved = Math.max(next, to);
    this.next[logIndex] = moved;
    return { kind: 'done', next: moved, outcomes, isReadable: true };
  }
}

/** Applies a feed's changes to an empty board, checking what each says against all before it. */
function fold(changes: readonly Change[]): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  for (const change of changes) {
    const { playerId } = change;
    expect(change.scoreBefore).toBe(scores.get(playerId) ?? null);
    expect(change.rankBefore).toBe(bruteForceRank(scores, playerId));
    if (change.score === null) throw new Error('no row goes away by results alone');
    scores.set(playerId, change.score);
    expect(change.rank).toBe(bruteForceRank(scores, playerId));
  }
  return scores;
}

/** Every kind of read equals the brute-force ranking of `best`. */
async function expectReads(board: TestBoard, best: ReadonlyMap<string, number>): Promise<void> {
  const { ranking, tag } = board;
  const rows = bruteForce(best);
  expect(await board.rows()).toEqual(rows);
  for (const [from, count] of [
    [1, 3],
    [3, 4],
    [rows.length, 2],
    [0, 2],
  ] as const) {
    const wanted = rows.filter((row) => row.rank >= from && row.rank < from + count);
    expect(await ranking.readRange(tag, from, count)).toMatchObject({ total: rows.length, rows: wanted });
  }
  for (const { playerId, rank } of rows) {
    const wanted = rows.filter((row) => row.rank >= rank - 2 && row.rank <= rank + 1);
    expect(present(await ranking.readAround(tag, playerId, 2, 1)).rows).toEqual(wanted);
  }
  const standings = PLAYERS.map((playerId) => ({
    playerId,
    score: best.get(playerId) ?? null,
    rank: bruteForceRank(best, playerId),
  }));
  expect(present(await ranking.readPlayers(tag, PLAYERS)).rows).toEqual(standings);
}

export function describeProperties(factory: RankingFactory): void {
  const ranking = useRanking(factory);

  it('equals it after any deliveries, and so does the fold of its feed at every change', async () => {
    const histories = fc.record({
      logs: fc.tuple(log, log, log),
      deliveries: fc.array(delivery, { maxLength: 25 }),
    });
    const check = async ({ logs, deliveries }: typeof histories extends fc.Arbitrary<infer T> ? T : never) => {
      const board = new TestBoard(ranking());
      await board.fill();
      const seq = await board.seq();
      const feed = board.follow(seq);
      const model = new Model(logs);
      const rest = LOGS.map((_, logIndex) => ({ logIndex, back: 2, length: 300 }));
      let applied = 0;
      for (const { logIndex, back, length } of [...deliveries, ...rest]) {
        const batch = model.batch(logIndex, back, length);
        const expected = model.expected(logIndex, batch);
        expect(await board.submitBatch(batch)).toEqual(expected);
        if (expected.kind === 'done') applied += expected.outcomes.filter((outcome) => outcome === 'applied').length;
        expect(await board.rows()).toEqual(bruteForce(model.best));
      }
      expect(await board.seq()).toBe(seq + applied);
      await expectReads(board, model.best);
      if (applied > 0) await feed.reached(seq + applied);
      feed.close();
      expect(fold(feed.allChanges)).toEqual(model.best);
    };
    await fc.assert(fc.asyncProperty(histories, check), RUNS);
  });

  it('equals it after any fill with live results between its chunks', async () => {
    const chunk = fc.array(result, { maxLength: 12 });
    const steps = fc.array(fc.record({ chunk, isRepeated: fc.boolean(), live: chunk }), { maxLength: 6 });
    const check = async (parts: typeof steps extends fc.Arbitrary<infer T> ? T : never) => {
      const board = new TestBoard(ranking());
      const best = new Map<string, number>();
      const merge = (entries: readonly { readonly playerId: string; readonly score: number }[]) => {
        for (const entry of entries) best.set(entry.playerId, Math.max(best.get(entry.playerId) ?? 0, entry.score));
      };
      await ranking().begin(board.tag, DEFINITION, { jobId: 'job', positions: [] });
      for (const [index, part] of parts.entries()) {
        await ranking().load(board.tag, 'job', index, part.chunk);
        if (part.isRepeated) await ranking().load(board.tag, 'job', index, part.chunk);
        await board.submit(...part.live.map((entry) => [entry.playerId, entry.score] as const));
        merge([...part.chunk, ...part.live]);
      }
      await ranking().finish(board.tag, 'job', parts.length);
      await expectReads(board, best);
    };
    await fc.assert(fc.asyncProperty(steps, check), RUNS);
  });
}
