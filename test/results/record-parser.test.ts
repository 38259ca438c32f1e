import { describe, expect, it } from 'vitest';
import { readRecord } from '../../src/results/record-parser.js';
import { boardSet, resultJson } from './log-fixture.js';

function read(value: Uint8Array | null) {
  return readRecord({ offset: 0, key: null, value, brokerAt: Date.now() }, boardSet);
}

describe('reading a record', () => {
  it('reads records that are no results, and rejects them as it does results', () => {
    const of = (record: object) => read(Buffer.from(JSON.stringify(record)));
    const gone = { kind: 'void', matchId: 'm', playerId: 'pl-1' };
    expect(of(gone)).toEqual(gone);
    expect(of({ ...gone, matchId: 7 })).toEqual({ ...gone, matchId: '7' });
    expect(of({ kind: 'hide', playerId: 42 })).toEqual({ kind: 'hide', playerId: '42' });
    const asked = { kind: 'recompute', playerId: 'pl-1', copies: [{ achievedAt: 7, scopes: { guild: '77' } }] };
    expect(of(asked)).toEqual(asked);
    const correct = { ...gone, kind: 'correct', points: 9 };
    expect(of(correct)).toEqual({ ...gone, kind: 'correct', mode: 'arena', fields: { points: 9 } });
    const bad: readonly [object, string][] = [
      [{ ...gone, playerId: '' }, 'bad_id'],
      [{ kind: 'recompute' }, 'missing'],
      [{ ...correct, points: -1 }, 'points_out_of_range'],
      [{ ...gone, kind: 'ban' }, 'unknown_kind'],
    ];
    for (const [record, code] of bad) expect(of(record)).toMatchObject({ kind: 'rejected', rejection: { code } });
  });

  it('reads a result whose key is absent: the player is in the value', () => {
    expect(read(resultJson({}))).toMatchObject({ kind: 'result', result: { playerId: 'pl-1', fields: { points: 5 } } });
  });

  it('takes a null value for a no-op', () => {
    expect(read(null)).toEqual({ kind: 'nothing' });
  });

  it.each([
    ['bad_utf8', Buffer.from([0xff, 0xfe, 0x00])],
    ['bad_json', Buffer.from('{"points":')],
    ['bad_json', Buffer.from('')],
    ['not_an_object', Buffer.from('null')],
    ['not_an_object', Buffer.from('['.repeat(20_000) + ']'.repeat(20_000))],
    ['too_large', Buffer.alloc(70_000, 0x20)],
    ['points_not_integer', resultJson({ points: 1.5 })],
    ['in_the_future', resultJson({ achievedAt: Date.now() + 300_000 })],
  ])('rejects with %s', (code, value) => {
    expect(read(value)).toMatchObject({ kind: 'rejected', rejection: { code } });
  });
});
