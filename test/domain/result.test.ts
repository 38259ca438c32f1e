/** Judging a result field by field; the judgement of its time is result-time.test.ts. */

import { describe, expect, it } from 'vitest';
import { judgeResult, type Rejection } from '../../src/domain/result.js';
import { AT, boardSet, resultWith } from './result-fixture.js';

function judge(record: unknown) {
  return judgeResult(record, AT, boardSet);
}

function rejectionOf(record: unknown): Rejection {
  const verdict = judge(record);
  if (verdict.accepted) throw new Error('expected a rejection');
  return verdict.rejection;
}

describe('judgeResult', () => {
  it('takes a whole result, and drops what it does not know', () => {
    expect(judge(resultWith({ scopes: { guild: '77' }, weather: 'rain', kind: 'result' }))).toEqual({
      accepted: true,
      result: {
        matchId: 'match-1',
        playerId: 'pl-1',
        mode: 'arena',
        fields: { points: 1_518 },
        achievedAt: AT,
        scopes: { guild: '77' },
        seasonId: '9',
      },
    });
  });

  it.each([[null], [undefined], [42], ['text'], [[]], [true]])('refuses %j, which is no object', (record) => {
    expect(rejectionOf(record)).toMatchObject({ field: '', code: 'not_an_object' });
  });

  it.each(['void', 'correction', 7, {}])('refuses the unknown kind %j', (kind) => {
    expect(rejectionOf(resultWith({ kind }))).toMatchObject({ field: 'kind', code: 'unknown_kind' });
  });

  it.each(['matchId', 'playerId', 'points', 'achievedAt'])('names a missing %s', (field) => {
    for (const nothing of [undefined, null]) {
      const rejection = rejectionOf(resultWith({ [field]: nothing }));
      expect(rejection).toMatchObject({ field, code: 'missing' });
      expect(rejection.message).toContain(field);
    }
  });
});

describe('judgeResult, ids', () => {
  it('takes a whole number for the same id as its text', () => {
    for (const playerId of [42, '42']) {
      expect(judge(resultWith({ playerId }))).toMatchObject({ accepted: true, result: { playerId: '42' } });
    }
    expect(judge(resultWith({ playerId: 2 ** 53 - 1 }))).toMatchObject({ result: { playerId: '9007199254740991' } });
    expect(judge(resultWith({ matchId: 7 }))).toMatchObject({ result: { matchId: '7' } });
  });

  it('refuses a number that the parser has rounded, instead of taking it for its neighbour', () => {
    const record: unknown = JSON.parse(JSON.stringify(resultWith({})).replace('"pl-1"', '9007199254740993'));
    expect(rejectionOf(record)).toMatchObject({ field: 'playerId', code: 'id_not_exact' });
  });

  it('keeps text ids beyond 2^53 apart', () => {
    const ids = ['9007199254740992', '9007199254740993'];
    for (const playerId of ids) expect(judge(resultWith({ playerId }))).toMatchObject({ result: { playerId } });
  });

  it.each([1.5, -(2 ** 53), 1e300])('refuses the number %j as an id', (matchId) => {
    expect(rejectionOf(resultWith({ matchId }))).toMatchObject({ field: 'matchId', code: 'id_not_exact' });
  });

  it.each([['', 'x'.repeat(65), 'a\u0000', '\ud83d', true, {}, ['a']]].flat())('refuses %j as an id', (playerId) => {
    expect(rejectionOf(resultWith({ playerId }))).toMatchObject({ field: 'playerId', code: 'bad_id' });
  });
});

describe('judgeResult, mode', () => {
  it('takes the only mode where none is named, and asks where there are more', () => {
    expect(judge(resultWith({ mode: undefined }))).toMatchObject({ result: { mode: 'arena' } });
    const duel = { mode: 'duel', fields: { points: { min: 10, max: 20 } } };
    const twoModes = { ...boardSet, modes: [...boardSet.modes, duel] };
    const verdict = judgeResult(resultWith({ mode: undefined }), AT, twoModes);
    expect(verdict).toMatchObject({ accepted: false, rejection: { field: 'mode' } });
    expect(judgeResult(resultWith({ mode: 'duel', points: 15 }), AT, twoModes)).toMatchObject({ accepted: true });
    expect(judgeResult(resultWith({ mode: 'duel', points: 9 }), AT, twoModes)).toMatchObject({ accepted: false });
  });

  it.each(['raid', 'Arena', '', 7, 'constructor', '__proto__'])(
    'refuses the mode %j, and names the known ones',
    (mode) => {
      const rejection = rejectionOf(resultWith({ mode }));
      expect(rejection).toMatchObject({ field: 'mode', code: 'unknown_mode' });
      expect(rejection.message).toContain('arena');
    },
  );

  it('keeps the message short, whatever was sent', () => {
    expect(rejectionOf(resultWith({ mode: 'x'.repeat(100_000) })).message.length).toBeLessThan(300);
    expect(rejectionOf(resultWith({ points: 'x'.repeat(100_000) })).message.length).toBeLessThan(300);
    expect(rejectionOf(resultWith({ kind: 'x'.repeat(100_000) })).message.length).toBeLessThan(300);
  });
});

describe('judgeResult, points', () => {
  it.each([0, 1, 2_097_151])('takes %i', (points) => {
    expect(judge(resultWith({ points }))).toMatchObject({ accepted: true, result: { fields: { points } } });
  });

  it('takes a negative zero for zero', () => {
    const verdict = judge(resultWith({ points: -0 }));
    expect(verdict.accepted && Object.is(verdict.result.fields['points'], 0)).toBe(true);
  });

  it.each([-1, 2_097_152, 2 ** 53, 1e300])('refuses %d, outside the range of the mode', (points) => {
    const rejection = rejectionOf(resultWith({ points }));
    expect(rejection).toMatchObject({ field: 'points', code: 'points_out_of_range' });
    expect(rejection.message).toContain('0 to 2097151');
  });

  it.each([1.5, '10', Number.NaN, Number.POSITIVE_INFINITY, true, [3]])('refuses %j, which is no integer', (points) => {
    expect(rejectionOf(resultWith({ points }))).toMatchObject({ field: 'points', code: 'points_not_integer' });
  });
});

describe('judgeResult, scopes', () => {
  it('takes none, and whole numbers as ids', () => {
    for (const scopes of [undefined, null, {}])
      expect(judge(resultWith({ scopes }))).toMatchObject({ result: { scopes: {} } });
    const scopes = { guild: 77, country: 'ch' };
    expect(judge(resultWith({ scopes }))).toMatchObject({ result: { scopes: { guild: '77', country: 'ch' } } });
  });

  it.each([['guild'], [['guild']], [7]])('refuses %j, which is no object of name and text', (scopes) => {
    expect(rejectionOf(resultWith({ scopes }))).toMatchObject({ field: 'scopes', code: 'bad_scopes' });
  });

  it('refuses more than 16 of them', () => {
    const scopesOf = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`scope-${i}`, 'a']));
    expect(judge(resultWith({ scopes: scopesOf(16) }))).toMatchObject({ accepted: true });
    expect(rejectionOf(resultWith({ scopes: scopesOf(17) }))).toMatchObject({ field: 'scopes', code: 'bad_scopes' });
  });

  it.each(['', 'Guild', 'a:b', 'a\u0000', '\ud83d', 'x'.repeat(100_000)])('refuses a name that is none', (name) => {
    const rejection = rejectionOf(resultWith({ scopes: { [name]: '77' } }));
    expect(rejection).toMatchObject({ field: 'scopes', code: 'bad_scopes' });
    expect(rejection.message.length).toBeLessThan(300);
  });

  it.each(['', 1.5, null, {}, 'a\u0000'])('refuses the value %j, and names its scope', (value) => {
    expect(rejectionOf(resultWith({ scopes: { guild: value } })).field).toBe('scopes.guild');
  });

  it('takes a scope named like a member of every object for an unknown name', () => {
    const record: unknown = JSON.parse(JSON.stringify(resultWith({})).replace('{', '{"scopes":{"__proto__":"77"},'));
    expect(rejectionOf(record)).toMatchObject({ field: 'scopes', code: 'bad_scopes' });
  });
});
