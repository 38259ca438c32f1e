import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packScore, scoreLayout } from '../../src/domain/packed-score.js';
import { mergeScores, type Rule, scoreMerge } from '../../src/domain/rules.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_FILL_CHUNK } from '../../src/ranking/ranking.js';
import { type FillPlan, type FillTagOptions, fillTag } from '../../src/rebuild/fill-tag.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';

const TAG = { boardId: 'arena', seasonId: '1' };
const START = Date.parse('2026-04-01T00:00:00Z');
const season = { seasonId: '1', startsAt: START, endsAt: START + 90 * 86_400_000 };
const layout = scoreLayout([{ field: 'points', max: 2_097_151, isLow: false }], season);
const definitionOf = (rule: Rule): TagDefinition => ({ hash: 'hash', merge: scoreMerge(rule, layout) });
const plan: FillPlan = { tag: TAG, modes: ['arena'], season, layout, definition: definitionOf('best') };
const SOURCE = 'kafka:t';

let database: TruthDatabase;
let ranking: MemoryRanking;
let options: FillTagOptions;
beforeEach(async () => {
  database = await createTruthDatabase();
  // Born before the first match, so that rule sum takes none of them for a copy that it may have forgotten.
  ranking = new MemoryRanking({ now: () => START - 86_400_000 });
  options = { target: ranking, truth: new TruthSnapshots(database.pool), logger: silent, maxFillChunk: MAX_FILL_CHUNK };
});
afterEach(async () => {
  await ranking.close();
  await database.drop();
});

interface Played {
  readonly playerId: string;
  readonly points: number;
  readonly achievedAt: number;
}

function play(n: number): Played {
  return { playerId: `pl-${(n * 7) % 2_500}`, points: (n * 7_919) % 3_000, achievedAt: START + n * 1_000 };
}

async function store(from: number, to: number): Promise<void> {
  const results = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 86_400_000 });
  const rows = Array.from({ length: to - from }, (_, index) => {
    const offset = from + index;
    const { playerId, points, achievedAt } = play(offset);
    const result = {
      matchId: `m-${offset}`,
      playerId,
      mode: 'arena',
      fields: { points },
      achievedAt,
      scopes: {},
      seasonId: '1',
    };
    return { result, offset, brokerAt: result.achievedAt };
  });
  await results.write([{ source: SOURCE, partition: 0, from, to, rows }]);
}

function submit(from: number, to: number) {
  const results = Array.from({ length: to - from }, (_, index) => {
    const { playerId, points, achievedAt } = play(from + index);
    const identity = { hash: String(from + index), achievedAt };
    const score = packScore(layout, { points }, achievedAt);
    return { playerId, score, offset: from + index, at: achievedAt, identity };
  });
  return ranking.submit(TAG, 'hash', { source: SOURCE, partition: 0, from, to, results });
}

/** Every player's entry after the first `count` results. */
function folded(count: number, { merge } = plan.definition): Map<string, number> {
  const entries = new Map<string, number>();
  for (let n = 0; n < count; n += 1) {
    const { playerId, points, achievedAt } = play(n);
    const score = packScore(layout, { points }, achievedAt);
    entries.set(playerId, mergeScores(merge, entries.get(playerId) ?? null, score));
  }
  return entries;
}

async function list(): Promise<Map<string, number>> {
  const reading = await ranking.readRange(TAG, 1, 10_000);
  return new Map(reading?.rows.map(({ playerId, score }) => [playerId, score]));
}

describe('filling a tag', () => {
  it('makes an empty board of an empty database', async () => {
    expect(await fillTag(plan, options)).toEqual({ kind: 'filled', entries: 0 });
    expect(await ranking.readRange(TAG, 1, 10)).toMatchObject({ total: 0, rows: [] });
  });

  it('brings the fold of every player and the positions of the same moment', async () => {
    await store(0, 4_000);
    expect(await fillTag(plan, options)).toEqual({ kind: 'filled', entries: 2_500 });
    expect(await list()).toEqual(folded(4_000));
    expect((await ranking.state(TAG))?.positions).toEqual([{ source: SOURCE, partition: 0, next: 4_000 }]);
    expect(await fillTag(plan, options)).toEqual({ kind: 'exists' });
  });

  it.each(['best', 'latest', 'sum'] as const)(
    'ends the same when live results arrive between its chunks (%s)',
    async (rule) => {
      const definition = definitionOf(rule);
      await store(0, 4_000);
      let offset = 4_000;
      const target: FillTagOptions['target'] = {
        state: (tag) => ranking.state(tag),
        begin: (...call) => ranking.begin(...call),
        finish: (...call) => ranking.finish(...call),
        load: async (...call) => {
          expect(await submit(offset, offset + 200)).toMatchObject({ kind: 'done' });
          offset += 200;
          return ranking.load(...call);
        },
      };
      await fillTag({ ...plan, definition }, { ...options, target });
      expect(offset).toBe(4_600);
      await submit(offset, offset + 100);
      expect(await list()).toEqual(folded(offset + 100, definition));
    },
  );

  it('is done by one of several processes, and the others wait for it', async () => {
    await store(0, 3_000);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => fillTag(plan, { ...options, truth: new TruthSnapshots(database.newPool()) })),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['exists', 'exists', 'filled']);
    expect(await list()).toEqual(folded(3_000));
  });

  it('leaves the tag without a board when it dies, and the next try begins anew', async () => {
    await store(0, 3_000);
    const dying = {
      ...options,
      target: {
        state: (tag: typeof TAG) => ranking.state(tag),
        begin: ranking.begin.bind(ranking),
        finish: ranking.finish.bind(ranking),
        load: async (...call: Parameters<MemoryRanking['load']>) => {
          if (call[2] === 1) throw new Error('killed');
          return ranking.load(...call);
        },
      },
    };
    await expect(fillTag(plan, dying)).rejects.toThrow('killed');
    expect(await ranking.readRange(TAG, 1, 10)).toBeNull();
    expect(await fillTag(plan, options)).toMatchObject({ kind: 'filled' });
    expect(await list()).toEqual(folded(3_000));
  });

  it('gives up when another fill took over', async () => {
    await store(0, 3_000);
    const target: FillTagOptions['target'] = {
      state: (tag) => ranking.state(tag),
      begin: ranking.begin.bind(ranking),
      finish: ranking.finish.bind(ranking),
      load: async (tag, jobId, index, entries) => {
        if (index === 1) await ranking.begin(tag, plan.definition, { jobId: 'rival', positions: [] });
        return ranking.load(tag, jobId, index, entries);
      },
    };
    await expect(fillTag(plan, { ...options, target })).rejects.toMatchObject({ isRetryable: true });
  });
});
