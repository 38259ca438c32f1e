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

  it('reports nothing any more after it was closed', async () => {
    rig.close();
    await turns();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(rig.reports.get('board arena')).toEqual(expect.any(String));
  });
});
