import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BoardSet, Mode } from '../../src/domain/board.js';
import { judgeResult } from '../../src/domain/result.js';

const file = readFileSync(new URL('../../proto/match-result.schema.json', import.meta.url), 'utf8');
const document = JSON.parse(file) as { examples: Record<string, unknown>[] };
const schema = z.fromJSONSchema(JSON.parse(file));

const BROKER_AT = Date.parse('2026-10-12T18:03:25Z');
const arena = { mode: 'arena', fields: { points: { min: 0, max: 2_000_000 } } };
const league = { mode: 'league', fields: { winRate: { min: 0, max: 1_000 }, deaths: { min: 0, max: 1_000 } } };
const setOf = (...modes: Mode[]): BoardSet => ({
  modes,
  boards: [],
  calendar: {
    seasons: [
      { seasonId: '12', startsAt: Date.parse('2026-10-01T00:00:00Z'), endsAt: Date.parse('2026-11-01T00:00:00Z') },
    ],
    graceMs: 0,
  },
  maxLatenessMs: 604_800_000,
});

const [example = {}, leagueExample = {}] = document.examples;
const changed = (change: Record<string, unknown>): Record<string, unknown> => ({ ...example, ...change });
const without = (field: string): Record<string, unknown> => {
  return Object.fromEntries(Object.entries(example).filter(([name]) => name !== field));
};
const withFields = (points: unknown): Record<string, unknown> => ({ ...leagueExample, points });

const both: readonly (readonly [name: string, record: unknown])[] = [
  ['the example', example],
  ['no mode', without('mode')],
  ['ids that are integers', changed({ playerId: 42, matchId: 7 })],
  ['epoch milliseconds', changed({ achievedAt: BROKER_AT })],
  ['an offset', changed({ achievedAt: '2026-10-12T20:03:21+02:00' })],
  ['unknown fields', changed({ weather: 'rain' })],
  ['nil scopes', changed({ scopes: null })],
  ['kind result', changed({ kind: 'result' })],
  ['an emoji in an id', changed({ playerId: '🙂' })],
  ['an array', [example]],
  ['no matchId', without('matchId')],
  ['no playerId', without('playerId')],
  ['no points', without('points')],
  ['no achievedAt', without('achievedAt')],
  ['another kind', changed({ kind: 'void' })],
  ['an empty id', changed({ playerId: '' })],
  ['an id of 65 letters', changed({ playerId: 'x'.repeat(65) })],
  ['a control character in an id', changed({ playerId: 'a\nb' })],
  ['a C1 control character in an id', changed({ playerId: 'a\u0085b' })],
  ['an id with a fraction', changed({ playerId: 1.5 })],
  ['an id beyond 2^53-1', changed({ playerId: 2 ** 53 })],
  ['negative points', changed({ points: -1 })],
  ['points with a fraction', changed({ points: 1.5 })],
  ['points as text', changed({ points: '1518' })],
  ['a time without offset', changed({ achievedAt: '2026-10-12T18:03:21' })],
  ['a mode in capitals', changed({ mode: 'ARENA' })],
  ['scopes that are a list', changed({ scopes: ['77'] })],
  ['17 scopes', changed({ scopes: Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`s${index}`, '1'])) })],
];

const bothWithFields: readonly (readonly [name: string, record: unknown])[] = [
  ['the example', leagueExample],
  ['a field more', withFields({ winRate: 1, deaths: 2, kills: 3 })],
  ['zeros', withFields({ winRate: 0, deaths: 0 })],
  ['no field', withFields({})],
  ['a fraction', withFields({ winRate: 0.5, deaths: 2 })],
  ['a negative number', withFields({ winRate: -1, deaths: 2 })],
  ['text', withFields({ winRate: '1', deaths: 2 })],
  ['nothing in a field', withFields({ winRate: null, deaths: 2 })],
  ['an object in a field', withFields({ winRate: {}, deaths: 2 })],
  ['a list', withFields([1, 2])],
];

describe('match-result.schema.json', () => {
  it.each(both)('answers as the server does: %s', (_, record) => {
    expect(schema.safeParse(record).success).toBe(judgeResult(record, BROKER_AT, setOf(arena)).accepted);
  });

  it.each(bothWithFields)('answers as the server does where a mode has several fields: %s', (_, record) => {
    expect(schema.safeParse(record).success).toBe(judgeResult(record, BROKER_AT, setOf(arena, league)).accepted);
  });

  it('has both answers among its examples', () => {
    for (const examples of [both, bothWithFields]) {
      const answers = examples.map(([, record]) => schema.safeParse(record).success);
      expect(answers).toContain(true);
      expect(answers).toContain(false);
    }
  });
});
