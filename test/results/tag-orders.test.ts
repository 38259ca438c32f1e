import { describe, expect, it } from 'vitest';
import type { ControlRecord } from '../../src/domain/control-record.js';
import type { ListedResult } from '../../src/domain/lists.js';
import { ordersFor } from '../../src/results/tag-orders.js';
import { boardSeasonOf, LONG_SEASON } from '../support/definitions.js';

/** Monday, 2026-10-12T12:00:00Z. */
const NOW = Date.parse('2026-10-12T12:00:00Z');
const DAY_MS = 86_400_000;
const record = { offset: 7, key: null, value: null, brokerAt: NOW - 50 };

const players = boardSeasonOf({ periods: ['day'], scopes: ['guild'] });
const guilds = boardSeasonOf({ subject: 'guild', periods: ['day'] });

function orders(tag: typeof players, control: ControlRecord) {
  return ordersFor(tag, control, record, NOW).map(({ lists, ...order }) => ({
    ...order,
    lists: lists.map(({ name }) => name),
  }));
}

const asked = { playerId: 'pl-1', offset: 7, at: NOW - 50 };

describe('records as orders to a board', () => {
  it('correct the player for a void and a correction, where players are ranked', () => {
    const identity = { matchId: 'm', playerId: 'pl-1' };
    const records: ControlRecord[] = [
      { kind: 'void', ...identity },
      { kind: 'correct', ...identity, mode: 'arena', fields: { points: 1 } },
    ];
    for (const control of records) {
      expect(orders(players, control)).toEqual([{ order: 'correct', ...asked, lists: [] }]);
      expect(orders(guilds, control)).toEqual([]);
    }
  });

  it('hide him from the lists of everybody that exist now, and show him again', () => {
    const hide = orders(players, { kind: 'hide', playerId: 'pl-1' });
    const days = ['d:2026-10-09', 'd:2026-10-10', 'd:2026-10-11', 'd:2026-10-12'];
    expect(hide).toEqual([{ order: 'hide', ...asked, lists: ['s', ...days] }]);
    expect(orders(players, { kind: 'unhide', playerId: 'pl-1' })).toEqual([{ order: 'unhide', ...asked, lists: [] }]);
    for (const kind of ['hide', 'unhide'] as const) expect(orders(guilds, { kind, playerId: 'pl-1' })).toEqual([]);
  });
});

describe('a record that asks for copies to be looked at', () => {
  const copy = (achievedAt: number, scopes: ListedResult['scopes'] = {}): ListedResult => ({ achievedAt, scopes });
  const recompute = (...copies: readonly ListedResult[]): ControlRecord => {
    return { kind: 'recompute', playerId: 'pl-1', copies };
  };

  it('names every list of each copy once, where players are ranked', () => {
    const copies = [copy(NOW, { guild: '7' }), copy(NOW, { guild: '8' }), copy(NOW - DAY_MS)];
    const lists = ['s', 'd:2026-10-12', 's:guild:7', 'd:2026-10-12:guild:7', 's:guild:8', 'd:2026-10-12:guild:8'];
    expect(orders(players, recompute(...copies))).toEqual([
      { order: 'recompute', ...asked, lists: [...lists, 'd:2026-10-11'] },
    ]);
  });

  it('asks for each subject among the copies, where a scope is ranked, with the lists of its own', () => {
    const copies = [copy(NOW, { guild: '7' }), copy(NOW - DAY_MS, { guild: '8' }), copy(NOW), copy(NOW, { clan: '1' })];
    expect(orders(guilds, recompute(...copies))).toEqual([
      { order: 'recompute', ...asked, playerId: '7', lists: ['s', 'd:2026-10-12'] },
      { order: 'recompute', ...asked, playerId: '8', lists: ['s', 'd:2026-10-11'] },
    ]);
  });

  it('leaves out copies of other seasons', () => {
    const outside = [LONG_SEASON.startsAt - 1, LONG_SEASON.endsAt].map((at) => copy(at, { guild: '9' }));
    const inside = copy(LONG_SEASON.startsAt, { guild: '7' });
    expect(orders(guilds, recompute(...outside, inside)).map(({ playerId }) => playerId)).toEqual(['7']);
    expect(orders(players, recompute(...outside))).toEqual([{ order: 'recompute', ...asked, lists: [] }]);
  });

  it('looks at the player himself where no copy is named', () => {
    expect(orders(players, recompute())).toEqual([{ order: 'recompute', ...asked, lists: [] }]);
    expect(orders(guilds, recompute())).toEqual([]);
  });
});
