import { describe, expect, it } from 'vitest';
import { RankWindow } from '../../src/client/rank-window.js';
import type { ShownRow } from '../../src/client/window.js';
import { rankFrame, topSnapshot } from './support/session.js';

describe('RankWindow', () => {
  it('takes the newest word on the rank and drops older ones of the same epoch', () => {
    const window = new RankWindow(() => '42');
    expect(window.hasState).toBe(false);
    expect(window.apply(rankFrame(1, 900, 10, 7), null)).toBe('applied');
    expect(window.apply(rankFrame(1, 900, 9, 8), null)).toBe('dropped');
    expect(window.apply(rankFrame(1, 900, 10, 6), null)).toBe('applied');
    expect(window.read(false)).toMatchObject({ rank: 6, seq: 10, epoch: 900, total: 500 });
  });

  it('takes a lower seq of another epoch, and any seq after the position was given up', () => {
    const window = new RankWindow(() => '42');
    window.apply(rankFrame(1, 900, 10, 7), null);
    expect(window.apply(rankFrame(1, 901, 1, 3), null)).toBe('applied');
    window.forget();
    expect(window.apply(rankFrame(1, 901, 0, 4), null)).toBe('applied');
    expect(window.read(false)).toMatchObject({ rank: 4, seq: 0, epoch: 901 });
  });

  it('shows a player without a row as null, and says whose row it is', () => {
    const window = new RankWindow(() => '42');
    const shown: ShownRow[] = [];
    window.apply(rankFrame(1, 900, 10, null), shown);
    expect(window.read(true)).toMatchObject({ rank: null, score: null, stale: true });
    expect(shown).toEqual([{ playerId: '42', score: null, at: 1_800_000_000_010 }]);
  });

  it('has no use for other frames', () => {
    const window = new RankWindow(() => null);
    expect(window.apply(topSnapshot(1, 900, 10, []), null)).toBe('dropped');
  });
});
