/** A place in the server that one worker holds: it is filled again when its worker dies, and handed over at a restart. */

import type { Logger } from 'pino';
import { GoawayReason } from '../../proto/frames.js';
import { describeEnd, type WorkerEnd, type WorkerProcess } from './worker-process.js';

/** What a slot needs of a worker. */
export type SlotWorker = Pick<WorkerProcess, 'pid' | 'ready' | 'ended' | 'stop' | 'kill'>;

export interface SlotOptions {
  readonly name: string;
  /** Whether a new worker can begin while the old one is still there. */
  readonly isSharing: boolean;
  readonly spawn: () => SlotWorker;
  readonly logger: Logger;
  /** Before a dead one is started again, by how many died before it. Default: 0.5 s, doubling up to 15 s. */
  readonly restartWaitMs?: (deaths: number) => number;
}

const MAX_WAIT_MS = 15_000;
/** Who lived so long died of something new. */
const STABLE_MS = 60_000;

export class WorkerSlot {
  private worker: SlotWorker | null = null;
  /** The one that will take over when it is ready. */
  private next: SlotWorker | null = null;
  /** The one that was told to go, until it has ended. */
  private leaving: SlotWorker | null = null;
  private isStopping = false;
  private deaths = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: SlotOptions) {}

  get name(): string {
    return this.options.name;
  }

  get current(): SlotWorker | null {
    return this.worker;
  }

  /** Resolves when the worker is ready; throws `StartRefusedError` with its sentence. */
  async start(): Promise<void> {
    const worker = this.options.spawn();
    this.worker = worker;
    await worker.ready();
    this.watch(worker);
  }

  /** A new worker takes over. Throws where it does not get ready: then the old one goes on where it can. */
  async replace(): Promise<void> {
    const { isSharing, spawn } = this.options;
    if (!isSharing) await this.takeOver(null);
    // A stop that came meanwhile found nobody here.
    if (this.isStopping) return;
    const next = spawn();
    this.next = next;
    try {
      await next.ready();
    } catch (error) {
      if (!isSharing && !this.isStopping) this.startLater();
      throw error;
    } finally {
      this.next = null;
    }
    // A stop that came meanwhile has told both.
    if (!this.isStopping) await this.takeOver(next);
  }

  /** Resolves with whether all that it has stopped in order. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    clearTimeout(this.timer);
    const ends = await Promise.all([this.worker, this.next].map((worker) => worker?.stop(GoawayReason.drain)));
    return ends.every((end) => end === undefined || end.code === 0);
  }

  kill(): void {
    this.isStopping = true;
    for (const worker of [this.worker, this.next, this.leaving]) worker?.kill();
  }

  /** Whoever has the place now goes: not always who had it when his successor was begun, as he may have died since. */
  private async takeOver(next: SlotWorker | null): Promise<void> {
    const old = this.worker;
    clearTimeout(this.timer);
    this.worker = next;
    if (next !== null) this.watch(next);
    this.leaving = old;
    await old?.stop(GoawayReason.upgrade);
    this.leaving = null;
  }

  private watch(worker: SlotWorker): void {
    const startedAt = performance.now();
    void worker.ended.then((end) => {
      // Another one has its place, or nobody shall.
      if (this.worker !== worker || this.isStopping) return;
      this.worker = null;
      if (performance.now() - startedAt > STABLE_MS) this.deaths = 0;
      this.died(worker, end);
    });
  }

  private died(worker: SlotWorker, end: WorkerEnd): void {
    const { name, logger } = this.options;
    const retryInMs = this.startLater();
    const facts = { worker: name, pid: worker.pid, ...end, deaths: this.deaths, retryInMs };
    logger.error(facts, `worker "${name}" ${describeEnd(end)}; it is started again`);
  }

  private startLater(): number {
    const { restartWaitMs = defaultWaitMs } = this.options;
    const waitMs = restartWaitMs(this.deaths);
    this.deaths += 1;
    this.timer = setTimeout(() => void this.startAgain(), waitMs);
    return waitMs;
  }

  private async startAgain(): Promise<void> {
    const { name, logger, spawn } = this.options;
    const worker = spawn();
    this.worker = worker;
    try {
      await worker.ready();
      this.watch(worker);
      logger.info({ worker: name, pid: worker.pid }, 'worker.restarted');
    } catch (error) {
      // Another one has taken over, or nobody shall.
      if (this.worker !== worker || this.isStopping) return;
      this.worker = null;
      const retryInMs = this.startLater();
      logger.error({ err: error, worker: name, retryInMs }, `worker "${name}" did not start; it is tried again`);
    }
  }
}

function defaultWaitMs(deaths: number): number {
  return Math.min(MAX_WAIT_MS, 500 * 2 ** deaths);
}
