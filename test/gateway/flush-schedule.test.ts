import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlushSchedule, type FlushTarget } from '../../src/gateway/flush-schedule.js';

const TICK_MS = 20;
let now: number;
let pace: { tickMs: number };
let errors: unknown[];
let schedule: FlushSchedule;

class Target implements FlushTarget {
  spentUntil = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  ticks = 1;
  burst = 1;
  isPatient = false;
  readonly flushes: number[] = [];
  failures = 0;
  onFlush: () => void = () => {};
  failed(): void {
    this.failures += 1;
  }
  flush(): void {
    this.flushes.push(now);
    this.onFlush();
  }
}

beforeEach(() => {
  now = 10_000;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  pace = { tickMs: TICK_MS };
  errors = [];
  schedule = new FlushSchedule(pace, (error) => errors.push(error));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The end of this turn: immediates run, no time passes. */
function endTurn(): void {
  vi.advanceTimersByTime(0);
}

/** Time passes in steps of a millisecond. */
function pass(ms: number): void {
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
    expect([target.scheduledFor, target.spentUntil]).toEqual([Number.POSITIVE_INFINITY, 10_000 + TICK_MS]);
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

  it('lets a target with a burst have so many flushes at once, then one a tick, and all again after as many quiet ticks', () => {
    const target = new Target();
    target.burst = 3;
    const busy = (ms: number): number => {
      const before = target.flushes.length;
      for (let passed = 0; passed < ms; passed++) {
        schedule.mark(target);
        endTurn();
        pass(1);
      }
      return target.flushes.length - before;
    };
    expect(busy(4)).toBe(3);
    expect(busy(TICK_MS * 10)).toBeLessThanOrEqual(11);
    pass(TICK_MS * 4);
    expect(busy(4)).toBe(3);
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

  it('lets a target that may lag wait as many ticks as it says, and only while it is hot', () => {
    const target = new Target();
    target.ticks = 4;
    schedule.mark(target);
    endTurn();
    pass(1);
    schedule.mark(target);
    pass(TICK_MS * 4 - 4);
    expect(target.flushes).toEqual([10_000]);
    pass(6);
    expect(target.flushes).toHaveLength(2);
  });

  it('flushes a target after the delay it was marked with, not before and once', () => {
    const target = new Target();
    schedule.mark(target, 50);
    schedule.mark(target, 60);
    endTurn();
    pass(49);
    expect(target.flushes).toEqual([]);
    pass(100);
    expect(target.flushes).toHaveLength(1);
    expect(target.flushes[0]).toBeGreaterThanOrEqual(10_050);
    expect(target.flushes[0]).toBeLessThanOrEqual(10_052);
  });

  it('lets an urgent mark overtake a delayed one, and flushes once for both', () => {
    const target = new Target();
    schedule.mark(target, 50);
    pass(7);
    schedule.mark(target);
    endTurn();
    expect(target.flushes).toEqual([10_007]);
    pass(200);
    expect(target.flushes).toEqual([10_007]);
  });

  it('lets a delayed mark after an urgent one change nothing, quiet or hot', () => {
    const target = new Target();
    schedule.mark(target);
    schedule.mark(target, 50);
    endTurn();
    expect(target.flushes).toEqual([10_000]);
    pass(5);
    schedule.mark(target);
    schedule.mark(target, 50);
    pass(TICK_MS - 3);
    expect(target.flushes).toHaveLength(2);
    expect(target.flushes[1]).toBeLessThanOrEqual(10_000 + TICK_MS + 2);
    pass(200);
    expect(target.flushes).toHaveLength(2);
  });

  it('leaves a target that was flushed early to its new moment when its old one comes', () => {
    const target = new Target();
    schedule.mark(target, 50);
    pass(40);
    schedule.mark(target);
    endTurn();
    expect(target.flushes).toEqual([10_040]);
    pass(2);
    // Hot now: due a tick after the early flush, 10 ms after the slot of the first mark.
    schedule.mark(target);
    pass(TICK_MS - 3);
    expect(target.flushes).toEqual([10_040]);
    pass(4);
    expect(target.flushes).toHaveLength(2);
    expect(target.flushes[1]).toBeGreaterThanOrEqual(10_040 + TICK_MS);
    pass(200);
    expect(target.flushes).toHaveLength(2);
  });

  it('flushes targets that a flush marks in the same turn', () => {
    const [shared, ...sessions] = [new Target(), new Target(), new Target()];
    shared.onFlush = () => {
      for (const session of sessions) schedule.mark(session);
    };
    schedule.mark(shared);
    endTurn();
    expect(sessions.map((session) => session.flushes)).toEqual([[10_000], [10_000]]);
    pass(TICK_MS * 2);
    expect(sessions.map((session) => session.flushes.length)).toEqual([1, 1]);
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

  it('takes the tick from the pace', () => {
    const target = new Target();
    schedule.mark(target);
    pace.tickMs = TICK_MS * 4;
    endTurn();
    pass(1);
    schedule.mark(target);
    pass(TICK_MS * 4 - 3);
    expect(target.flushes).toHaveLength(1);
    pass(4);
    expect(target.flushes).toHaveLength(2);
  });

  it('flushes who is patient behind the others, a little in each turn', () => {
    const order: string[] = [];
    const busy = (name: string, isPatient: boolean): Target => {
      const target = new Target();
      target.isPatient = isPatient;
      target.onFlush = () => {
        now += 1.5;
        order.push(name);
      };
      return target;
    };
    for (const name of ['p1', 'p2', 'p3', 'p4']) schedule.mark(busy(name, true));
    for (const name of ['r1', 'r2']) schedule.mark(busy(name, false));
    endTurn();
    expect(order).toEqual(['r1', 'r2', 'p1', 'p2']);
    schedule.mark(busy('r3', false));
    pass(3);
    expect(order).toEqual(['r1', 'r2', 'p1', 'p2', 'r3', 'p3', 'p4']);
  });

  it('lets other late timers go before the flushes of late slots', async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    const order: string[] = [];
    for (let delay = 1; delay <= 15; delay += 2) {
      const target = new Target();
      target.onFlush = () => order.push('flush');
      schedule.mark(target, delay);
    }
    const other = new Promise<void>((resolve) => {
      setTimeout(() => resolve(void order.push('timer')), 20);
    });
    const lateFrom = performance.now();
    while (performance.now() - lateFrom < 40);
    await other;
    await vi.waitFor(() => expect(order).toHaveLength(9));
    expect(order[0]).toBe('timer');
  });

  it('has a hot target with a burst wait for a tick at most when the pace relaxes', () => {
    const target = new Target();
    target.burst = 4;
    pace.tickMs = TICK_MS * 8;
    for (let ms = 0; ms < 200; ms++) {
      schedule.mark(target);
      endTurn();
      pass(1);
    }
    pass(TICK_MS * 8);
    pace.tickMs = TICK_MS;
    const before = target.flushes.length;
    schedule.mark(target);
    pass(TICK_MS + 3);
    expect(target.flushes.length).toBe(before + 1);
  });

  for (const [what, wait] of [
    ['a turn', endTurn],
    ['a slot', () => pass(TICK_MS * 2)],
  ] as const) {
    it(`reports what a flush threw in ${what}, tells that target, and flushes its neighbours`, () => {
      const targets = [new Target(), new Target(), new Target()];
      const [first, second, third] = targets;
      for (const target of targets) {
        if (what === 'a slot') target.spentUntil = now + TICK_MS;
        schedule.mark(target);
      }
      const error = new Error('a defect');
      if (second !== undefined)
        second.onFlush = () => {
          throw error;
        };
      wait();
      expect(errors).toEqual([error]);
      expect(targets.map((target) => target.failures)).toEqual([0, 1, 0]);
      expect([first?.flushes.length, third?.flushes.length]).toEqual([1, 1]);
      // It is not lost to the schedule.
      if (second !== undefined) {
        second.onFlush = () => {};
        second.spentUntil = 0;
        schedule.mark(second);
      }
      endTurn();
      expect([second?.flushes.length, errors.length]).toEqual([2, 1]);
    });

    it(`lets others go first after 8 ms of flushes in ${what}, and flushes each target once`, () => {
      const order: string[] = [];
      const targets = Array.from({ length: 7 }, (_, index) => {
        const target = new Target();
        target.onFlush = () => {
          now += 3;
          order.push(`t${index}`);
        };
        if (what === 'a slot') target.spentUntil = now + TICK_MS;
        schedule.mark(target);
        return target;
      });
      // Somebody else's work, which has come by the end of the first slice.
      const [first] = targets;
      if (first !== undefined)
        first.onFlush = () => {
          now += 3;
          order.push('t0');
          setImmediate(() => order.push('other'));
        };
      wait();
      // An immediate of an immediate: the clock of the test calls it a millisecond later.
      pass(3);
      expect(order).toEqual(['t0', 't1', 't2', 'other', 't3', 't4', 't5', 't6']);
      pass(TICK_MS * 2);
      expect(order).toHaveLength(8);
    });
  }
});
