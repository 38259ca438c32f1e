/** A place in the server, and workers that start, die and stop as the test says. */

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { GoawayReason } from '../../proto/frames.js';
import type { WorkerReady } from '../../src/app/worker-link.js';
import type { WorkerEnd } from '../../src/app/worker-process.js';
import { type SlotWorker, WorkerSlot } from '../../src/app/worker-slot.js';
import { until } from '../support/until.js';

class FakeWorker implements SlotWorker {
  becomeReady = (): void => {};
  failToStart = (): void => {};
  end: (end: WorkerEnd) => void = () => {};
  readonly stops: number[] = [];
  /** Its end comes when the test says so. */
  isSlow = false;
  private readonly starting = new Promise<WorkerReady>((resolve, reject) => {
    this.becomeReady = () => resolve({ kind: 'ready', port: 1, adminPort: 2 });
    this.failToStart = () => reject(new Error('no port'));
  });
  readonly ended = new Promise<WorkerEnd>((resolve) => {
    this.end = resolve;
  });

  constructor(readonly pid: number) {
    this.starting.catch(() => {});
  }

  ready(): Promise<WorkerReady> {
    return this.starting;
  }

  async stop(reason: GoawayReason): Promise<WorkerEnd> {
    this.stops.push(reason);
    this.failToStart();
    if (!this.isSlow) this.end({ code: 0, signal: null });
    return await this.ended;
  }

  kill(): void {
    this.end({ code: null, signal: 'SIGKILL' });
  }
}

const CRASH: WorkerEnd = { code: null, signal: 'SIGSEGV' };

function newSlot(isSharing = true): { slot: WorkerSlot; workers: FakeWorker[] } {
  const workers: FakeWorker[] = [];
  const spawn = (): FakeWorker => {
    const worker = new FakeWorker(workers.length + 1);
    workers.push(worker);
    return worker;
  };
  const logger = pino({ level: 'silent' });
  return { slot: new WorkerSlot({ name: 'gateway 1', isSharing, spawn, logger, restartWaitMs: () => 0 }), workers };
}

async function startedSlot(isSharing = true): Promise<{ slot: WorkerSlot; workers: FakeWorker[] }> {
  const made = newSlot(isSharing);
  const starting = made.slot.start();
  made.workers[0]?.becomeReady();
  await starting;
  return made;
}

const spawned = (workers: readonly FakeWorker[], count: number) => until(() => expect(workers).toHaveLength(count));

describe('WorkerSlot', () => {
  it('starts a worker again that died, also where it dies or fails again', async () => {
    const { slot, workers } = await startedSlot();
    workers[0]?.end(CRASH);
    await spawned(workers, 2);
    workers[1]?.failToStart();
    await spawned(workers, 3);
    workers[2]?.becomeReady();
    await until(() => expect(slot.current?.pid).toBe(3));
  });

  it('keeps the old worker until the new one is ready, then stops it as an upgrade', async () => {
    const { slot, workers } = await startedSlot();
    const replacing = slot.replace();
    expect([slot.current?.pid, workers[0]?.stops]).toEqual([1, []]);
    workers[1]?.becomeReady();
    await replacing;
    expect([slot.current?.pid, workers[0]?.stops]).toEqual([2, [GoawayReason.upgrade]]);
  });

  it('keeps the old worker where the new one does not start', async () => {
    const { slot, workers } = await startedSlot();
    const replacing = slot.replace();
    workers[1]?.failToStart();
    await expect(replacing).rejects.toThrow('no port');
    expect([slot.current?.pid, workers[0]?.stops]).toEqual([1, []]);
  });

  it('leaves one worker where the old one dies during the handover', async () => {
    const { slot, workers } = await startedSlot();
    const replacing = slot.replace();
    workers[0]?.end(CRASH);
    await spawned(workers, 3);
    workers[1]?.becomeReady();
    await replacing;
    expect(slot.current?.pid).toBe(2);
    expect(workers[2]?.stops).toEqual([GoawayReason.upgrade]);
    await slot.stop();
    expect(workers).toHaveLength(3);
  });

  it('stops a worker that shares nothing before the new one begins', async () => {
    const { slot, workers } = await startedSlot(false);
    const replacing = slot.replace();
    expect(workers[0]?.stops).toEqual([GoawayReason.upgrade]);
    await spawned(workers, 2);
    workers[1]?.becomeReady();
    await replacing;
    expect(slot.current?.pid).toBe(2);
  });

  it('begins no new worker where it is stopped while the old one ends', async () => {
    const { slot, workers } = await startedSlot(false);
    const old = workers[0];
    if (old === undefined) throw new Error('one has started');
    old.isSlow = true;
    const replacing = slot.replace();
    await slot.stop();
    old.end({ code: 0, signal: null });
    await replacing;
    expect(workers).toHaveLength(1);
  });

  it('kills also the one that is on its way out', async () => {
    const { slot, workers } = await startedSlot();
    const old = workers[0];
    if (old === undefined) throw new Error('one has started');
    old.isSlow = true;
    const replacing = slot.replace();
    workers[1]?.becomeReady();
    await until(() => expect(old.stops).toHaveLength(1));
    slot.kill();
    await replacing;
    expect(await old.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('stops both during a handover, and starts nothing any more', async () => {
    const { slot, workers } = await startedSlot();
    const replacing = slot.replace().catch(() => {});
    expect(await slot.stop()).toBe(true);
    await replacing;
    expect(workers.map(({ stops }) => stops)).toEqual([[GoawayReason.drain], [GoawayReason.drain]]);
  });
});
