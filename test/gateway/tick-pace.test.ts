import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TickPace } from '../../src/gateway/tick-pace.js';

const TICK_MS = 20;
let now: number;
let cpuMs: number;
let pace: TickPace;

beforeEach(() => {
  now = 5_000;
  cpuMs = 900;
  pace = new TickPace({ tickMs: TICK_MS, cpuMs: () => cpuMs, now: () => now });
});
afterEach(() => {
  pace.stop();
  vi.useRealTimers();
});

/** A second in which the process used so much of a core. */
function second(ratio: number): void {
  now += 1_000;
  cpuMs += 1_000 * ratio;
  pace.sample();
}

describe('TickPace', () => {
  it('keeps the tick of a process that has time, whatever it used before', () => {
    expect(pace.tickMs).toBe(TICK_MS);
    for (const ratio of [0, 0.3, 0.69, 0.84]) second(ratio);
    expect(pace.tickMs).toBe(TICK_MS);
  });

  it('waits half as long again with each look at more than 85 % of a core, eight times as long at most', () => {
    second(0.86);
    expect(pace.tickMs).toBe(TICK_MS * 1.5);
    second(1.9);
    expect(pace.tickMs).toBe(TICK_MS * 2.25);
    for (let i = 0; i < 20; i++) second(1);
    expect(pace.tickMs).toBe(TICK_MS * 8);
  });

  it('stays where it is between 70 % and 85 %, so that it does not swing', () => {
    second(0.9);
    for (const ratio of [0.71, 0.84, 0.75]) second(ratio);
    expect(pace.tickMs).toBe(TICK_MS * 1.5);
  });

  it('comes back step by step below 70 %, to the configured tick and not under it', () => {
    for (let i = 0; i < 20; i++) second(1);
    second(0.69);
    expect(pace.tickMs).toBeCloseTo((TICK_MS * 8) / 1.5);
    for (let i = 0; i < 20; i++) second(0.1);
    expect(pace.tickMs).toBe(TICK_MS);
  });

  it('judges by CPU time alone: a long time between two looks is no load', () => {
    now += 60_000;
    cpuMs += 10_000;
    pace.sample();
    expect(pace.tickMs).toBe(TICK_MS);
    now += 10;
    cpuMs += 10;
    pace.sample();
    expect(pace.tickMs).toBe(TICK_MS * 1.5);
  });

  it('looks by itself four times a second while it is started', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    pace.start();
    const busy = (ms: number) => {
      now += ms;
      cpuMs += ms;
      vi.advanceTimersByTime(ms);
    };
    busy(250);
    expect(pace.tickMs).toBe(TICK_MS * 1.5);
    busy(250);
    expect(pace.tickMs).toBe(TICK_MS * 2.25);
    pace.stop();
    busy(2_000);
    expect(pace.tickMs).toBe(TICK_MS * 2.25);
  });

  it('reads the CPU time of this process where none is injected', () => {
    let clock = 0;
    const usage = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    const own = new TickPace({ tickMs: TICK_MS, now: () => clock });
    clock = 1_000;
    usage.mockReturnValue({ user: 500_000, system: 400_000 });
    own.sample();
    expect(own.tickMs).toBe(TICK_MS * 1.5);
    usage.mockRestore();
  });
});
