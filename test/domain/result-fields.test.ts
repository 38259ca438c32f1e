/** Judging `points` where a mode has fields of its own; a mode of one field called points is in result.test.ts. */

import { describe, expect, it } from 'vitest';
import type { FieldRange } from '../../src/domain/board.js';
import { judgeResult } from '../../src/domain/result.js';
import { AT, boardSet, resultWith } from './result-fixture.js';

function judge(points: unknown, fields: Readonly<Record<string, FieldRange>>) {
  return judgeResult(resultWith({ points }), AT, { ...boardSet, modes: [{ mode: 'arena', fields }] });
}
const accepted = (fields: Record<string, number>) => ({ accepted: true, result: { fields } });
const rejected = (field: string, code: string) => ({ accepted: false, rejection: { field, code } });

describe('judgeResult, a mode with one field', () => {
  const fields = { seconds: { min: 1, max: 900 } };

  it.each([[77], [{ seconds: 77 }], [{ seconds: 77, laps: 3 }]])('takes %j under the name of the field', (points) => {
    expect(judge(points, fields)).toEqual({
      accepted: true,
      result: expect.objectContaining({ fields: { seconds: 77 } }),
    });
  });

  it('names what was sent: points for a number, the field for an object', () => {
    expect(judge(901, fields)).toMatchObject(rejected('points', 'points_out_of_range'));
    expect(judge({ seconds: 901 }, fields)).toMatchObject(rejected('points.seconds', 'points_out_of_range'));
    expect(judge({}, fields)).toMatchObject(rejected('points.seconds', 'missing'));
    expect(judge({ points: 77 }, fields)).toMatchObject(rejected('points.seconds', 'missing'));
    expect(judge([77], fields)).toMatchObject(rejected('points', 'points_not_integer'));
    expect(judge(null, fields)).toMatchObject(rejected('points', 'missing'));
  });
});

describe('judgeResult, a mode with several fields', () => {
  const fields = { winRate: { min: 0, max: 1_000 }, deaths: { min: 1, max: 63 } };

  it('takes an object with each of them, and drops what else is in it', () => {
    const points = { deaths: 5, weather: 'rain', winRate: 512, nested: { deaths: 1 } };
    const verdict = judge(points, fields);
    expect(verdict).toMatchObject(accepted({ winRate: 512, deaths: 5 }));
    expect(verdict.accepted && Object.entries(verdict.result.fields)).toEqual([
      ['winRate', 512],
      ['deaths', 5],
    ]);
  });

  it.each([
    { winRate: 0, deaths: 1 },
    { winRate: 1_000, deaths: 63 },
  ])('takes the ends of the ranges: %j', (points) => {
    expect(judge(points, fields)).toMatchObject(accepted(points));
  });

  it('takes a negative zero for zero', () => {
    const verdict = judge({ winRate: -0, deaths: 1 }, fields);
    expect(verdict.accepted && Object.is(verdict.result.fields['winRate'], 0)).toBe(true);
  });

  it.each([
    ['points.winRate', 'missing', { deaths: 5 }],
    ['points.deaths', 'missing', { winRate: 512, deaths: null }],
    ['points.winRate', 'points_not_integer', { winRate: 51.2, deaths: 5 }],
    ['points.winRate', 'points_not_integer', { winRate: '512', deaths: 5 }],
    ['points.deaths', 'points_not_integer', { winRate: 512, deaths: { value: 5 } }],
    ['points.winRate', 'points_out_of_range', { winRate: 1_001, deaths: 5 }],
    ['points.deaths', 'points_out_of_range', { winRate: 512, deaths: 0 }],
    ['points', 'points_not_object', 512],
    ['points', 'points_not_object', '512'],
    ['points', 'points_not_object', [512, 5]],
    ['points', 'missing', null],
    ['points', 'missing', undefined],
  ])('names %s as %s: %j', (field, code, points) => {
    expect(judge(points, fields)).toMatchObject(rejected(field, code));
  });

  it('says which fields there are, where no object was sent', () => {
    const verdict = judge(512, fields);
    expect(verdict.accepted ? '' : verdict.rejection.message).toBe(
      'points of mode arena must be an object with winRate, deaths',
    );
  });

  it('says the range and the mode, where a value is outside', () => {
    const verdict = judge({ winRate: 512, deaths: 64 }, fields);
    expect(verdict.accepted ? '' : verdict.rejection.message).toBe('points.deaths 64 is outside 1 to 63 of mode arena');
  });

  it('does not take for a value what every object inherits', () => {
    const inherited = { constructor: { min: 0, max: 9 }, toString: { min: 0, max: 9 } };
    expect(judge({}, inherited)).toMatchObject(rejected('points.constructor', 'missing'));
    expect(judge({ constructor: 4 }, inherited)).toMatchObject(rejected('points.toString', 'missing'));
    const verdict = judge({ constructor: 4, toString: 5 }, inherited);
    expect(verdict.accepted && Object.entries(verdict.result.fields)).toEqual([
      ['constructor', 4],
      ['toString', 5],
    ]);
  });

  it('does not let a __proto__ in the record stand in for a field', () => {
    const points: unknown = JSON.parse('{"__proto__":{"winRate":512},"deaths":5}');
    expect(judge(points, fields)).toMatchObject(rejected('points.winRate', 'missing'));
  });
});
