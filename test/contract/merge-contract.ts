/** Contract tests of merging: what each rule makes of a few results, told in points and seconds. */

import { describe, expect, it } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/submit.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { SubmitBatch } from '../../src/ranking/ranking.js';
import {
  batchOf,
  definitionOf,
  MAX_POINTS,
  pack,
  type RankingFactory,
  seasonEntry,
  useRanking,
} from './ranking-fixture.js';

/** A result; the outcome, and where the row stood before and stands after where that is `applied`. */
type Step = readonly [
  playerId: string,
  points: number,
  second: number,
  outcome: SubmitOutcome,
  ranks?: readonly [before: number | null, after: number],
];
type Row = readonly [playerId: string, points: number, second: number];

interface Story {
  readonly definition: TagDefinition;
  readonly steps: readonly Step[];
  readonly rows: readonly Row[];
}

const STORIES: Readonly<Record<string, Story>> = {
  best: {
    definition: definitionOf('best'),
    steps: [
      ['amy', 10, 5, 'applied', [null, 1]],
      ['bob', 20, 6, 'applied', [null, 1]],
      ['amy', 5, 7, 'no-record'],
      ['amy', 20, 9, 'applied', [2, 2]],
      ['amy', 20, 5, 'applied', [2, 1]],
      ['bob', 20, 6, 'no-record'],
      ['bob', 20, 7, 'no-record'],
    ],
    rows: [
      ['amy', 20, 5],
      ['bob', 20, 6],
    ],
  },
  latest: {
    definition: definitionOf('latest'),
    steps: [
      ['amy', 10, 5, 'applied', [null, 1]],
      ['bob', 20, 6, 'applied', [null, 1]],
      ['cat', 0, 6, 'applied', [null, 3]],
      ['amy', 30, 4, 'no-record'],
      ['bob', 1, 7, 'applied', [1, 2]],
      ['bob', 3, 7, 'applied', [2, 2]],
      ['bob', 2, 7, 'no-record'],
      ['amy', 0, 8, 'applied', [1, 3]],
    ],
    rows: [
      ['bob', 3, 7],
      ['cat', 0, 6],
      ['amy', 0, 8],
    ],
  },
  sum: {
    definition: definitionOf('sum'),
    steps: [
      ['amy', 10, 5, 'applied', [null, 1]],
      ['bob', 20, 6, 'applied', [null, 1]],
      ['cat', 25, 4, 'applied', [null, 1]],
      ['amy', 15, 4, 'applied', [3, 2]],
      ['cat', 0, 7, 'applied', [1, 2]],
      ['bob', 0, 3, 'no-record'],
      ['bob', MAX_POINTS, 7, 'applied', [3, 1]],
      ['bob', 5, 7, 'no-record'],
      ['bob', 5, 8, 'applied', [1, 1]],
    ],
    rows: [
      ['bob', MAX_POINTS, 8],
      ['amy', 25, 5],
      ['cat', 25, 7],
    ],
  },
  'sum, low first': {
    definition: definitionOf('sum', 'low', 2_000_000),
    steps: [
      ['amy', 10, 5, 'applied', [null, 1]],
      ['bob', 20, 6, 'applied', [null, 2]],
      ['amy', 15, 4, 'applied', [1, 2]],
      ['bob', 0, 3, 'no-record'],
      ['bob', 1_999_999, 7, 'applied', [1, 2]],
      ['bob', 3, 7, 'no-record'],
      ['amy', 0, 6, 'applied', [1, 1]],
    ],
    rows: [
      ['amy', 25, 6],
      ['bob', 2_000_000, 7],
    ],
  },
};

export function describeMerges(factory: RankingFactory): void {
  const { boardOf } = useRanking(factory);

  describe.each(Object.entries(STORIES))('by the rule %s', (_rule, { definition, steps, rows }) => {
    const score = ([, points, second]: Step | Row) => pack(points, second, definition.merge);
    const results = steps.map((step) => ({ playerId: step[0], score: score(step) }));
    const told = rows.map((row, index) => ({ playerId: row[0], score: score(row), rank: index + 1 }));
    const outcomes = steps.map(([, , , outcome]) => outcome);
    const batch = batchOf(0, ...results.map((result) => [result.playerId, result.score] as const));
    /** Each result in a partition of its own, so that any order is a possible one. */
    const alone = batch.results.map(
      (result, partition): SubmitBatch => ({
        ...batch,
        partition,
        to: 1,
        results: [{ ...result, offset: 0 }],
      }),
    );

    it('answers applied where the entry changed, no-record where it did not, and tells every move', async () => {
      const board = boardOf(definition);
      await board.fill();
      const seq = await board.seq();
      const feed = board.follow(seq);
      expect(await board.submitBatch(batch)).toEqual({ kind: 'done', next: steps.length, outcomes, isReadable: true });
      expect(await board.rows()).toEqual(told);
      const moves = steps.flatMap(([playerId, , , , ranks]) => (ranks ? [[playerId, ...ranks]] : []));
      await feed.reached(seq + moves.length);
      feed.close();
      expect(feed.allChanges.map(({ playerId, rankBefore, rank }) => [playerId, rankBefore, rank])).toEqual(moves);
    });

    it('answers the same while the board is filled', async () => {
      const board = boardOf(definition);
      await board.begin({ jobId: 'job' });
      expect(await board.submitBatch(batch)).toEqual({ kind: 'done', next: steps.length, outcomes, isReadable: false });
      await board.finish('job', 0);
      expect(await board.rows()).toEqual(told);
    });

    it('merges results of several partitions into one list, whichever comes first', async () => {
      for (const order of [alone, alone.toReversed()]) {
        const board = boardOf(definition);
        await board.fill();
        for (const single of order) await board.submitBatch(single);
        for (const single of order) expect(await board.submitBatch(single)).toMatchObject({ outcomes: ['skipped'] });
        expect(await board.rows()).toEqual(told);
      }
    });

    it.each([
      ['nothing live', () => false],
      ['live results before', (_index: number, isFirst: boolean) => isFirst],
      ['live results behind', (_index: number, isFirst: boolean) => !isFirst],
      ['every second result live', (index: number) => index % 2 === 0],
      ['every other second result live', (index: number) => index % 2 === 1],
    ])('fills with the same list from loaded entries and %s', async (_what, isLive) => {
      const board = boardOf(definition);
      await board.begin({ jobId: 'job' });
      // Two chunks; a player comes several times in one, and each is sent twice, as is each live result.
      const half = Math.ceil(steps.length / 2);
      for (const [chunk, from] of [0, half].entries()) {
        const indexes = steps.map((_step, index) => index).slice(from, from + half);
        const live = (index: number) => isLive(index, chunk === 0);
        const entries = indexes
          .filter((index) => !live(index))
          .flatMap((index) => {
            const result = results[index];
            return result ? [seasonEntry(result.playerId, result.score)] : [];
          });
        for (const index of indexes.filter(live)) {
          for (const single of [alone[index], alone[index]]) if (single) await board.submitBatch(single);
        }
        expect(await board.load('job', chunk, entries)).toBe('loaded');
        expect(await board.load('job', chunk, entries)).toBe('loaded');
      }
      await board.finish('job', 2);
      expect(await board.rows()).toEqual(told);
    });
  });
}
