import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { packScore } from '../../src/domain/packed-score.js';
import { windowAt } from '../../src/domain/periods.js';
import { mergeScores, type Rule } from '../../src/domain/rules.js';
import { type FoldedRow, foldedScores } from '../../src/truth/fold-scores.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { PlayerFolds } from '../../src/truth/player-folds.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOURCE = 'kafka:t';
/** Clocks change in each of these seasons, none of which starts with a week. */
const PLACES = [
  { zone: 'America/Havana', startsAt: Date.parse('2026-03-04T10:00:00Z') },
  { zone: 'Europe/Berlin', startsAt: Date.parse('2026-10-21T22:00:00Z') },
  { zone: 'Australia/Lord_Howe', startsAt: Date.parse('2026-03-31T13:30:00Z') },
  // Across a turn of the ISO year.
  { zone: 'UTC', startsAt: Date.parse('2026-12-26T01:00:00Z') },
];
const SEASON_DAYS = 12;

let database: TruthDatabase;
let store: MatchResultsPostgres;
let runs = 0;
beforeAll(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 7 * DAY_MS, calendar: NO_SEASONS });
});
afterAll(() => database.drop());

interface Played {
  readonly playerId: string;
  readonly points: number;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
  readonly isVoided: boolean;
}

/** Answers the run's own mode, which is also its match ids. */
async function play(played: readonly Played[]): Promise<string> {
  runs += 1;
  const mode = `run-${runs}`;
  const rows = played.map(({ playerId, points, achievedAt, scopes }, offset) => {
    const result = {
      matchId: `${mode}/${offset}`,
      playerId,
      mode,
      fields: { points },
      achievedAt,
      scopes,
      seasonId: 'x',
    };
    return { result, offset, brokerAt: achievedAt };
  });
  const voids = rows
    .filter((_, index) => played[index]?.isVoided)
    .map(({ result, offset, brokerAt }) => ({ ...result, offset, brokerAt }));
  await store.write([{ source: `${SOURCE}:${mode}`, partition: 0, from: 0, to: rows.length, rows, voids }]);
  return mode;
}

function scopeOf(mode: string, rule: Rule, subject: string, { zone, startsAt }: (typeof PLACES)[number]): BoardSeason {
  const season = { seasonId: 'x', startsAt, endsAt: startsAt + SEASON_DAYS * DAY_MS };
  const board = {
    modes: [mode],
    rule,
    subject,
    zone,
    scopes: ['guild', 'constructor'],
    periods: ['day', 'week'] as const,
  };
  const modes = [{ mode, fields: { points: { min: 0, max: 100 } } }];
  return boardSeasonOf({ ...board, maxTotal: rule === 'sum' ? 150 : null }, season, modes);
}

const keyOf = (list: string, subject: string) => `${list}\n${subject}`;

async function foldInSql(scope: BoardSeason): Promise<Map<string, number>> {
  const { text, values } = foldedScores(scope, { now: scope.season.startsAt });
  const { rows } = await database.pool.query<FoldedRow>(text, [...values]);
  const scores = new Map(rows.map(({ list, subject, score }) => [keyOf(list, subject), Number(score)]));
  expect(scores.size).toBe(rows.length);
  return scores;
}

/** `null`: only voided results are there. */
function foldInTypeScript(scope: BoardSeason, played: readonly Played[]): Map<string, number | null> {
  const scores = new Map<string, number | null>();
  for (const one of played) {
    const subject = scope.lists.subjectOf(one.playerId, one);
    if (subject === undefined) continue;
    const score = packScore(scope.layout, { points: one.points }, one.achievedAt);
    for (const { name } of scope.lists.listsOf(one)) {
      const held = scores.get(keyOf(name, subject)) ?? null;
      scores.set(keyOf(name, subject), one.isVoided ? held : mergeScores(scope.definition.merge, held, score));
    }
  }
  return scores;
}

const counted = <Score>(scores: ReadonlyMap<string, Score | null>) =>
  new Map([...scores].filter(([, score]) => score !== null));

function playedIn({ startsAt }: (typeof PLACES)[number]): fc.Arbitrary<Played[]> {
  const values = fc.constantFrom('77', '7:7', 'Ａ', '😀', 's');
  const scopes = fc.record({ guild: values, constructor: values }, { requiredKeys: [], noNullPrototype: true });
  const lastMs = SEASON_DAYS * DAY_MS - 1;
  // Midnights of all these zones lie on half hours of UTC.
  const edges = fc.tuple(fc.nat({ max: SEASON_DAYS * 48 - 1 }), fc.constantFrom(0, 1, 1_799_999));
  const sinceStart = fc.oneof(
    fc.constantFrom(0, lastMs),
    fc.nat({ max: lastMs }),
    edges.map(([halfHours, ms]) => halfHours * 1_800_000 + ms),
  );
  const one = fc.record({
    playerId: fc.constantFrom('pl-1', '😀', 'Ａ'),
    points: fc.nat({ max: 100 }),
    achievedAt: sinceStart.map((ms) => startsAt + ms),
    scopes,
    isVoided: fc.constantFrom(false, false, true),
  });
  return fc.array(one, { minLength: 1, maxLength: 40 });
}

const CASES = (['best', 'latest', 'sum'] as const).flatMap((rule) =>
  ['player', 'guild', 'constructor'].map((subject) => ({ rule, subject })),
);
const inputs = fc.constantFrom(...PLACES).chain((place) => fc.tuple(fc.constant(place), playedIn(place)));

it.each(CASES)('folds into exactly the lists that each result names ($rule, $subject)', async ({ rule, subject }) => {
  await fc.assert(
    fc.asyncProperty(inputs, async ([place, played]) => {
      const mode = await play(played);
      const scope = scopeOf(mode, rule, subject, place);
      const expected = foldInTypeScript(scope, played);
      expect(await foldInSql(scope)).toEqual(counted(expected));

      const next = Math.ceil(played.length / 2);
      const below = [{ source: `${SOURCE}:${mode}`, partition: 0, next }];
      const expectedBelow = foldInTypeScript(scope, played.slice(0, next));
      const folds = new PlayerFolds(database.pool, () => scope.season.startsAt);
      const folded = new Map<string, number | null>();
      for (const one of new Set(played.map((row) => scope.lists.subjectOf(row.playerId, row)))) {
        if (one === undefined) continue;
        for (const { list, score } of await folds.fold(scope, one, below)) {
          expect(list).toEqual(scope.lists.named(list.name));
          folded.set(keyOf(list.name, one), score);
        }
      }
      expect(folded).toEqual(expectedBelow);
    }),
    { numRuns: 12 },
  );
});

it.each(['best', 'latest', 'sum'] as const)('makes a week what its days come to by the rule (%s)', async (rule) => {
  await fc.assert(
    fc.asyncProperty(inputs, async ([place, played]) => {
      const scope = scopeOf(await play(played), rule, 'player', place);
      const { days, weeks } = scope.lists.shape;
      const merged = new Map<string, number>();
      const folded = await foldInSql(scope);
      for (const [key, score] of folded) {
        const day = days.find(({ label }) => key.startsWith(`d:${label}`));
        if (day === undefined) continue;
        const week = key.replace(`d:${day.label}`, `w:${windowAt(weeks, day.startsAt)?.label}`);
        merged.set(week, mergeScores(scope.definition.merge, merged.get(week) ?? null, score));
      }
      expect(merged).toEqual(new Map([...folded].filter(([key]) => key.startsWith('w:'))));
    }),
    { numRuns: 15 },
  );
});
