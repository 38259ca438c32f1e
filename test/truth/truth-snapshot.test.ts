import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packScore, scoreLayout } from '../../src/domain/packed-score.js';
import { mergeScores, scoreMerge } from '../../src/domain/rules.js';
import type { Season } from '../../src/domain/season.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { type FillScope, TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { createTruthDatabase, type TruthDatabase } from './truth-database.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-04-01T00:00:00Z');
const SOURCE = 'kafka:match-results';

let database: TruthDatabase;
let store: MatchResultsPostgres;
let snapshots: TruthSnapshots;
let nextOffset = 0;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS });
  snapshots = new TruthSnapshots(database.pool);
});
afterAll(() => database.drop());

function scopeOf(season: Season, maxPoints: number, modes = ['arena']): FillScope {
  const layout = scoreLayout([{ field: 'points', max: maxPoints, isLow: false }], season);
  return { tagName: `arena:s${season.seasonId}`, modes, season, layout, rule: 'best' };
}

interface Played {
  readonly playerId: string;
  readonly points: number;
  readonly achievedAt: number;
  readonly mode?: string;
}

async function write(played: readonly Played[]): Promise<void> {
  const from = nextOffset;
  nextOffset += played.length;
  const rows = played.map(({ playerId, points, achievedAt, mode = 'arena' }, index) => {
    const offset = from + index;
    const result = { matchId: `m${offset}`, playerId, mode, fields: { points }, achievedAt, scopes: {}, seasonId: 'x' };
    return { result, offset, brokerAt: achievedAt };
  });
  await store.write([{ source: SOURCE, partition: 0, from, to: nextOffset, rows }]);
}

async function readAll(scope: FillScope, chunkSize = 1_000): Promise<Map<string, number>> {
  const snapshot = await snapshots.open(scope);
  if (snapshot === null) throw new Error('the lock is taken');
  const scores = new Map<string, number>();
  try {
    for await (const chunk of snapshot.chunks(chunkSize)) {
      expect(chunk.length).toBeLessThanOrEqual(chunkSize);
      for (const { playerId, score } of chunk) scores.set(playerId, score);
    }
  } finally {
    await snapshot.close();
  }
  return scores;
}

describe('a snapshot of truth', () => {
  it.each(['best', 'latest', 'sum'] as const)(
    'holds the fold of every player by the rule, in chunks (%s)',
    async (rule) => {
      const mode = `chunks-${rule}`;
      const season = { seasonId: mode, startsAt: START, endsAt: START + 90 * DAY_MS };
      const scope = { ...scopeOf(season, 1_000, [mode]), rule };
      const players = ['pl-1', 'pl-2', 'Ａ', '😀', 'a,"b"'];
      const first = players.map((playerId, index) => ({ playerId, points: 10 + index, achievedAt: START, mode }));
      const second = players.map((playerId) => ({ playerId, points: 7, achievedAt: START + 5_000, mode }));
      await write([...first, ...second]);
      const merge = scoreMerge(rule, scope.layout);
      const expected = new Map(
        players.map((playerId, index) => {
          const [a, b] = [first[index]?.points ?? 0, 7];
          const scores = [
            packScore(scope.layout, { points: a }, START),
            packScore(scope.layout, { points: b }, START + 5_000),
          ];
          return [playerId, scores.reduce((current, score) => mergeScores(merge, current, score))];
        }),
      );
      expect(await readAll(scope, 3)).toEqual(expected);
    },
  );

  it("takes only the board's modes and the season's window", async () => {
    const season = { seasonId: 'w', startsAt: START + DAY_MS, endsAt: START + 2 * DAY_MS };
    const mode = 'window';
    await write([
      { playerId: 'before', points: 1, achievedAt: season.startsAt - 1, mode },
      { playerId: 'first', points: 1, achievedAt: season.startsAt, mode },
      { playerId: 'last', points: 1, achievedAt: season.endsAt - 1, mode },
      { playerId: 'after', points: 1, achievedAt: season.endsAt, mode },
      { playerId: 'other-mode', points: 1, achievedAt: season.startsAt, mode: 'duel' },
    ]);
    const scores = await readAll(scopeOf(season, 100, [mode]));
    expect([...scores.keys()].sort()).toEqual(['first', 'last']);
  });

  it('shows positions and rows of one moment, whatever is written meanwhile', async () => {
    const season = { seasonId: 'moment', startsAt: START, endsAt: START + 90 * DAY_MS };
    const scope = scopeOf(season, 100, ['moment']);
    await write([{ playerId: 'pl-1', points: 1, achievedAt: START, mode: 'moment' }]);
    const before = nextOffset;
    const snapshot = await snapshots.open(scope);
    await write([{ playerId: 'pl-2', points: 2, achievedAt: START, mode: 'moment' }]);
    expect(snapshot?.positions).toEqual([{ source: SOURCE, partition: 0, next: before }]);
    const players: string[] = [];
    for await (const chunk of snapshot?.chunks(1_000) ?? []) players.push(...chunk.map(({ playerId }) => playerId));
    expect(players).toEqual(['pl-1']);
    await snapshot?.close();
  });

  it('is one at a time for a tag, until it is closed', async () => {
    const scope = scopeOf({ seasonId: 'lock', startsAt: START, endsAt: START + DAY_MS }, 100);
    const other = new TruthSnapshots(database.newPool());
    const held = await snapshots.open(scope);
    expect(await other.open(scope)).toBeNull();
    const elsewhere = await other.open({ ...scope, tagName: 'duel:slock' });
    expect(elsewhere).not.toBeNull();
    await held?.close();
    const next = await other.open(scope);
    expect(next).not.toBeNull();
    await Promise.all([elsewhere?.close(), next?.close()]);
  });
});
