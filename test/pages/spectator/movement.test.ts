import { describe, expect, it } from 'vitest';
import { MovementBaseline } from '../../../src/pages/spectator/movement.js';

const at = (...ids: string[]) => ids.map((playerId, index) => ({ playerId, rank: index + 1 }));

describe('MovementBaseline', () => {
  it('shows no movement on the first paint', () => {
    const movement = new MovementBaseline();
    movement.record(at('ada', 'bo'), 1, 0);
    expect([...at('ada', 'bo')].map((player) => movement.of(player))).toEqual([0, 0]);
  });

  it('counts places against the picture of a minute ago, not against the last one', () => {
    const movement = new MovementBaseline();
    movement.record(at('ada', 'bo', 'cy'), 1, 0);
    movement.record(at('cy', 'ada', 'bo'), 1, 50_000);
    expect(movement.of({ playerId: 'cy', rank: 1 })).toBe(2);
    movement.record(at('cy', 'ada', 'bo'), 1, 109_000);
    expect(movement.of({ playerId: 'cy', rank: 1 })).toBe(2);
    movement.record(at('cy', 'ada', 'bo'), 1, 115_000);
    expect(movement.of({ playerId: 'cy', rank: 1 })).toBe(0);
  });

  it('calls a player new who was not there, and says nothing of one without a rank', () => {
    const movement = new MovementBaseline();
    movement.record(at('ada'), 1, 0);
    expect(movement.of({ playerId: 'bo', rank: 2 })).toBe('new');
    expect(movement.of({ playerId: 'cy', rank: null })).toBe(0);
  });

  it('begins anew with another history', () => {
    const movement = new MovementBaseline();
    movement.record(at('ada', 'bo'), 1, 0);
    movement.record(at('bo', 'ada'), 2, 1_000);
    expect(movement.of({ playerId: 'bo', rank: 1 })).toBe(0);
  });
});
