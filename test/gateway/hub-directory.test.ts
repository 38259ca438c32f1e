import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdTimers, turns } from '../views/support/view-rig.js';
import { fakeRig, type GatewayRig } from './support/gateway-rig.js';

let rig: GatewayRig;

beforeEach(() => {
  holdTimers();
  rig = fakeRig({ a: 3 });
});
afterEach(() => {
  rig.close();
  vi.useRealTimers();
});

describe('BoardHubs', () => {
  it('reports each board of now: not ready until it was read, ready within a second after', async () => {
    expect([...rig.reports]).toEqual([['board arena', expect.any(String)]]);
    await turns();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([...rig.reports]).toEqual([['board arena', null]]);
  });

  it('stays ready through a reload as long as a failover, and not through a longer one', async () => {
    await turns();
    await vi.advanceTimersByTimeAsync(1_000);
    rig.ranking.isFilled = false;
    rig.ranking.replace(3, { a: 4 });
    rig.ranking.tellPosition();
    await vi.advanceTimersByTimeAsync(4_500);
    expect(rig.reports.get('board arena')).toBeNull();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(rig.reports.get('board arena')).toEqual(expect.any(String));
    rig.ranking.isFilled = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(rig.reports.get('board arena')).toBeNull();
  });

  it('has one hub for a list, however it is named, over the season of the board and its definition', async () => {
    const reads = vi.spyOn(rig.ranking, 'readRange');
    const hub = rig.hubs.find('arena;s=6');
    expect(hub).toBeDefined();
    expect(rig.hubs.find('arena;s=6')).toBe(hub);
    expect(rig.hubs.find('arena;s=7')).toBe(rig.hub);
    expect(rig.hubs.find('arena')).toBe(rig.hub);
    await turns();
    const [list] = reads.mock.calls[0] ?? [];
    expect(list).toEqual({
      tag: { boardId: 'arena', seasonId: '6' },
      definitionHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      list: 's',
    });
  });

  it('reports nothing any more after it was closed', async () => {
    rig.close();
    await turns();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(rig.reports.get('board arena')).toEqual(expect.any(String));
  });
});
