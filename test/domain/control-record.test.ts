import { describe, expect, it } from 'vitest';
import type { Mode } from '../../src/domain/board.js';
import { MAX_COPIES, readControlRecord } from '../../src/domain/control-record.js';
import { judgeResult } from '../../src/domain/result.js';
import { AT, boardSet, resultWith } from './result-fixture.js';

const league: Mode = { mode: 'league', fields: { wins: { min: 0, max: 9 }, deaths: { min: 1, max: 9 } } };
const twoModes = { ...boardSet, modes: [...boardSet.modes, league] };
const ids = { matchId: 'm-1', playerId: 'pl-1' };

describe('readControlRecord', () => {
  it('leaves records of other kinds to others', () => {
    for (const record of [resultWith({}), { ...ids, kind: 'result' }, { ...ids, kind: 'toString' }, null, 'void', []]) {
      expect(readControlRecord(record, boardSet)).toBeUndefined();
    }
  });

  it('reads one of each kind, and drops what it does not know', () => {
    const copies = [{ achievedAt: AT, scopes: { guild: '77' } }];
    const records = [
      { kind: 'void', ...ids },
      { kind: 'hide', playerId: 'pl-1' },
      { kind: 'unhide', playerId: 'pl-1' },
      { kind: 'recompute', playerId: 'pl-1', copies },
    ];
    for (const record of records) expect(readControlRecord({ ...record, more: 1 }, boardSet)).toEqual(record);
    expect(readControlRecord({ kind: 'correct', ...ids, mode: 'arena', points: 7, more: 1 }, twoModes)).toEqual({
      kind: 'correct',
      ...ids,
      mode: 'arena',
      fields: { points: 7 },
    });
  });

  it.each(['void', 'correct', 'hide', 'unhide', 'recompute'])(
    'takes and refuses ids of %s as those of results',
    (kind) => {
      const record = { kind, matchId: 7, playerId: 42, points: 1 };
      expect(readControlRecord(record, boardSet)).toMatchObject({ kind, playerId: '42' });
      for (const playerId of [undefined, null, '', 'x'.repeat(65), 'a\u0000', 1.5, 2 ** 53, ['a']]) {
        const judged = judgeResult(resultWith({ playerId }), AT, boardSet);
        if (judged.accepted) throw new Error('expected a rejection');
        expect(readControlRecord({ ...record, playerId }, boardSet)).toEqual({
          kind: 'rejected',
          rejection: judged.rejection,
        });
      }
    },
  );

  it('takes the match of a void and of a correction as a number, too', () => {
    for (const kind of ['void', 'correct']) {
      const record = { kind, ...ids, points: 1 };
      expect(readControlRecord({ ...record, matchId: 7 }, boardSet)).toMatchObject({ kind, matchId: '7' });
      expect(readControlRecord({ ...record, matchId: 2 ** 53 }, boardSet)).toMatchObject({
        rejection: { field: 'matchId', code: 'id_not_exact' },
      });
    }
  });
});

describe('readControlRecord, corrections', () => {
  const correct = (more: object, set = boardSet) => readControlRecord({ kind: 'correct', ...ids, ...more }, set);

  it('takes the only mode where none is named', () => {
    expect(correct({ points: 5 })).toMatchObject({ mode: 'arena', fields: { points: 5 } });
    expect(correct({ points: 5 }, twoModes)).toMatchObject({ rejection: { field: 'mode', code: 'unknown_mode' } });
  });

  it('takes each field of a mode that has several', () => {
    const points = { wins: 3, deaths: 1, more: 1 };
    expect(correct({ mode: 'league', points }, twoModes)).toMatchObject({ fields: { wins: 3, deaths: 1 } });
  });

  it.each([
    ['points_out_of_range', { points: -1 }],
    ['points_out_of_range', { points: 2_097_152 }],
    ['points_not_integer', { points: 1.5 }],
    ['points_not_integer', { points: '5' }],
    ['missing', {}],
    ['unknown_mode', { mode: 'duel', points: 5 }],
  ])('refuses with %s, as a result would be, %j', (code, more) => {
    expect(correct(more)).toMatchObject({ kind: 'rejected', rejection: { code } });
    const { points, ...sent } = resultWith(more);
    const judged = judgeResult('points' in more ? { ...sent, points } : sent, AT, boardSet);
    expect(judged).toMatchObject({ accepted: false, rejection: { code } });
  });
});

describe('readControlRecord, copies to recompute', () => {
  const recompute = (copies: unknown) => readControlRecord({ kind: 'recompute', playerId: 'pl-1', copies }, boardSet);
  const copy = { achievedAt: AT, scopes: {} };

  it('takes none for a player who is to be looked at wherever he is ranked', () => {
    expect(recompute(undefined)).toEqual({ kind: 'recompute', playerId: 'pl-1', copies: [] });
  });

  it.each([
    [null],
    [{}],
    [[null]],
    [[{ achievedAt: AT }]],
    [[{ ...copy, achievedAt: '2026-10-12T18:03:21Z' }]],
    [[{ ...copy, achievedAt: 1.5 }]],
    [[{ ...copy, scopes: null }]],
    [Array.from({ length: MAX_COPIES + 1 }, () => copy)],
  ])('refuses %j, which truth does not write', (copies) => {
    expect(recompute(copies)).toMatchObject({ kind: 'rejected', rejection: { code: 'bad_copies' } });
  });

  it('refuses scopes that no result has', () => {
    expect(recompute([{ ...copy, scopes: { Guild: '7' } }])).toMatchObject({ rejection: { code: 'bad_scopes' } });
    expect(recompute([{ ...copy, scopes: { guild: '' } }])).toMatchObject({ rejection: { code: 'bad_id' } });
  });
});
