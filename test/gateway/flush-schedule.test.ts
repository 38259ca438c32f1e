import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlushSchedule, type FlushTarget } from '../../src/gateway/flush-schedule.js';

const TICK_MS = 20;
let now: number;
let schedule: FlushSchedule;

class Target implements FlushTarget {
  lastFlushAt = 0;
  isScheduled = false;
  readonly flushes: number[] = [];
  onFlush: () => void = () => {};
  flush(): void {
    this.flushes.push(now);
    this.onFlush();
  }
}

beforeEach(() => {
  now = 10_000;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  schedule = new FlushSchedule(TICK_MS);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The end of this turn: immediates run, no time passes. */
function endTurn(): void {
  vi.advanceTimersByTime(0);
}

/** Time passes in steps of a millisecond; `lateMs`: the event loop was held up, so that timers come late. */
function pass(ms: number, lateMs = 0): void {
  now += lateMs;
  for (let i = 0; i < ms; i++) {
    now += 1;
    vi.advanceTimersByTime(1);
  }
}

describe('FlushSchedule', () => {
  it('flushes a quiet target at the end of the turn, once however often it is marked', () => {
    const target = new Target();
    for (let i = 0; i < 5; i++) schedule.mark(target);
    expect(target.flushes).toEqual([]);
    endTurn();
    expect(target.flushes).toEqual([10_000]);
    expect([target.isScheduled, target.lastFlushAt]).toEqual([false, 10_000]);
    pass(100);
    expect(target.flushes).toHaveLength(1);
  });

  it('lets a hot target wait until a tick after its own last flush', () => {
    const target = new Target();
    schedule.mark(target);
    endTurn();
    pass(5);
    schedule.mark(target);
    schedule.mark(target);
    endTurn();
    pass(TICK_MS - 6);
    expect(target.flushes).toHaveLength(1);
    pass(3);
    expect(target.flushes).toHaveLength(2);
    expect(target.flushes[1]).toBeGreaterThanOrEqual(10_000 + TICK_MS);
    expect(target.flushes[1]).toBeLessThanOrEqual(10_000 + TICK_MS + 2);
  });

  it('flushes a target that changes all the time once a tick', () => {
    const target = new Target();
    for (let ms = 0; ms < 400; ms++) {
      schedule.mark(target);
      endTurn();
      pass(1);
    }
    expect(target.flushes.length).toBeGreaterThanOrEqual(18);
    expect(target.flushes.length).toBeLessThanOrEqual(21);
  });

  it('gives each target the phase of its own flushes', () => {
    const [early, late] = [new Target(), new Target()];
    schedule.mark(early);
    endTurn();
    pass(10);
    schedule.mark(late);
    endTurn();
    schedule.mark(early);
    schedule.mark(late);
    pass(60);
    expect(early.flushes[1]).toBeLessThanOrEqual(10_022);
    expect(late.flushes[1]).toBeGreaterThanOrEqual(10_030);
  });

  it('serves targets of one slot by one timer', () => {
    const targets = Array.from({ length: 50 }, () => new Target());
    for (const target of targets) schedule.mark(target);
    endTurn();
    pass(1);
    for (const target of targets) schedule.mark(target);
    expect(vi.getTimerCount()).toBe(1);
    pass(30);
    expect(targets.map((target) => target.flushes.length)).toEqual(targets.map(() => 2));
  });

  it('flushes in this turn, hot or not, what has waited elsewhere', () => {
    const target = new Target();
    schedule.mark(target);
    endTurn();
    pass(1);
    schedule.markNow(target);
    schedule.markNow(target);
    endTurn();
    expect(target.flushes).toEqual([10_000, 10_001]);
  });

  it('flushes targets that a flush marks in the same turn', () => {
    const [shared, ...sessions] = [new Target(), new Target(), new Target()];
    for (const session of sessions) schedule.mark(session);
    endTurn();
    pass(3);
    shared.onFlush = () => {
      for (const session of sessions) schedule.markNow(session);
    };
    schedule.mark(shared);
    endTurn();
    expect(sessions.map((session) => session.flushes)).toEqual([
      [10_000, 10_003],
      [10_000, 10_003],
    ]);
    pass(TICK_MS * 2);
    expect(sessions.map((session) => session.flushes.length)).toEqual([2, 2]);
  });

  it('flushes a target again that was marked during its own flush', () => {
    const target = new Target();
    let isFirst = true;
    target.onFlush = () => {
      if (isFirst) schedule.mark(target);
      isFirst = false;
    };
    schedule.mark(target);
    endTurn();
    expect(target.flushes).toHaveLength(1);
    pass(TICK_MS + 2);
    expect(target.flushes).toHaveLength(2);
    pass(100);
    expect(target.flushes).toHaveLength(2);
  });

  it('lengthens the tick while timers come late, to eight times at most, and comes back', () => {
    const target = new Target();
    expect(schedule.currentTickMs).toBe(TICK_MS);
    for (let i = 0; i < 30; i++) {
      target.lastFlushAt = now;
      schedule.mark(target);
      pass(TICK_MS * 8 + 2, 50);
    }
    expect(schedule.currentTickMs).toBe(TICK_MS * 8);
    for (let i = 0; i < 200; i++) {
      target.lastFlushAt = now;
      schedule.mark(target);
      pass(TICK_MS * 8 + 2);
    }
    expect(schedule.currentTickMs).toBe(TICK_MS);
  });
});
