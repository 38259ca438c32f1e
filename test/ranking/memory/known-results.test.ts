/** What a tag in memory remembers of results, and for how long. */

import { describe, expect, it } from 'vitest';
import { KnownResults } from '../../../src/ranking/memory/known-results.js';
import { BIRTH_GRACE_MS } from '../../../src/ranking/ranking.js';

const HOUR_MS = 3_600_000;
const DEDUP_MS = 6 * HOUR_MS;
/** The last millisecond of an hour. */
const AT = 500_000 * HOUR_MS - 1;

function knownSince(birth: number): KnownResults {
  return new KnownResults(birth, DEDUP_MS);
}

const match = (achievedAt: number) => ({ hash: '-17', achievedAt });

describe('KnownResults', () => {
  it('takes for late what is older than it remembers, to the millisecond', () => {
    expect(knownSince(0).judge(match(AT), AT + DEDUP_MS)).toBe('new');
    expect(knownSince(0).judge(match(AT), AT + DEDUP_MS + 1)).toBe('late');
  });

  it('takes for late what is not later than the birth by its grace, to the millisecond', () => {
    expect(knownSince(AT - BIRTH_GRACE_MS).judge(match(AT), AT)).toBe('new');
    expect(knownSince(AT - BIRTH_GRACE_MS + 1).judge(match(AT), AT)).toBe('late');
  });

  it('does not remember what was late', () => {
    const known = knownSince(0);
    known.judge(match(AT), AT + DEDUP_MS + 1);
    expect(known.judge(match(AT), AT)).toBe('new');
  });

  it('remembers an hour for one more than any result of it can be judged, and not for longer', () => {
    const known = knownSince(0);
    known.judge(match(AT), AT);
    const over = AT + 1 + DEDUP_MS + HOUR_MS;
    known.forget(over - 1);
    expect(known.judge(match(AT), AT)).toBe('duplicate');
    known.forget(over);
    expect(known.judge(match(AT), AT)).toBe('new');
  });

  it('forgets hours one by one', () => {
    const known = knownSince(0);
    for (const achievedAt of [AT, AT + HOUR_MS]) known.judge(match(achievedAt), AT);
    known.forget(AT + 1 + DEDUP_MS + HOUR_MS);
    expect(known.judge(match(AT + HOUR_MS), AT)).toBe('duplicate');
  });
});
