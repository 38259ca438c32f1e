import { describe, expect, it } from 'vitest';
import { findBroken, outboxLimitBytes, type StalledOutcome } from '../../loadtest/bench/stalled/bounds.js';
import { peaksOf } from '../../loadtest/bench/stalled/server-watch.js';
import { CloseCode } from '../../proto/close-codes.js';

const KEPT: StalledOutcome = {
  rowsPerWindow: 100,
  outboxBytesPerSession: outboxLimitBytes(100),
  closeCodes: [CloseCode.tooSlow, CloseCode.tooSlow],
  catchUps: [{ isDone: true, bytes: 40_000 }],
  failures: [],
  unshown: 0,
  mismatched: 0,
};

describe('findBroken', () => {
  it('finds nothing where all is kept', () => {
    expect(findBroken(KEPT)).toEqual([]);
  });

  it.each<[string, Partial<StalledOutcome>, string]>([
    ['a session that holds too much', { outboxBytesPerSession: outboxLimitBytes(100) + 1 }, 'a blocked session holds'],
    ['a socket that stays open', { closeCodes: [CloseCode.tooSlow, null] }, 'ended with no close'],
    ['another code', { closeCodes: [CloseCode.internal] }, `ended with ${CloseCode.internal}`],
    ['no present state', { catchUps: [{ isDone: false, bytes: 0 }] }, 'not brought to the present'],
    ['more than the present', { catchUps: [{ isDone: true, bytes: 1_000_000 }] }, 'more than the present'],
    ['a failure', { failures: ['a gap'] }, 'a gap'],
    ['what nobody was shown', { unshown: 3 }, '3 results were never shown'],
    ['a wrong window', { mismatched: 1 }, '1 windows are wrong'],
  ])('tells of %s', (_what, change, said) => {
    const broken = findBroken({ ...KEPT, ...change });
    expect(broken).toHaveLength(1);
    expect(broken[0]).toContain(said);
  });
});

describe('peaksOf', () => {
  it('takes each peak by itself, and the share of a session in one sample', () => {
    const sample = { atMs: 0, conflations: 0 };
    const peaks = peaksOf([
      { ...sample, blockedSessions: 0, outboxBytes: 0, rssBytes: 9 },
      { ...sample, blockedSessions: 4, outboxBytes: 400, rssBytes: 7 },
      { ...sample, blockedSessions: 1, outboxBytes: 300, rssBytes: 8 },
    ]);
    expect(peaks).toEqual({ blockedSessions: 4, outboxBytes: 400, outboxBytesPerSession: 300, rssBytes: 9 });
  });
});
