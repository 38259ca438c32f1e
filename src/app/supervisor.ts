/**
 * A server of several processes: this one does nothing but keep them. One consumes, the others share the port. What dies
 * is started again; a rolling restart replaces one after the other; a stop stops all, and so does our own end, which the
 * workers notice by themselves.
 */

import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { StoppedError } from '../ops/lifecycle.js';
import { requireFreePort } from './free-port.js';
import { AdminPorts, planWorkers, type WorkerPlan } from './worker-plan.js';
import { WorkerProcess } from './worker-process.js';
import { WorkerSlot } from './worker-slot.js';

export interface SupervisorOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** The compiled main.js. */
  readonly program: string;
  /** The settings, which the workers read as they are, beside what is each one's own. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** A worker's stop after its drain; then it is killed, before main.ts gives up on us. */
const STOP_WITHIN_MS = 25_000;

export class Supervisor {
  private readonly slots: readonly WorkerSlot[];
  private readonly adminPorts: AdminPorts;
  private port = 0;
  private rolling: Promise<void> | null = null;
  private isRollingWanted = false;
  private stopping: Promise<readonly string[]> | null = null;

  private constructor(private readonly options: SupervisorOptions) {
    const { config, logger } = options;
    this.adminPorts = new AdminPorts(config.admin.port, config.workers);
    this.slots = planWorkers(config).map((plan) => {
      const { name, isSharing } = plan;
      return new WorkerSlot({ name, isSharing, logger, spawn: () => this.spawn(plan) });
    });
  }

  /** Resolves when all are ready; throws the sentence of the first that cannot be, and stops the others. */
  static async start(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    options.signal.addEventListener('abort', () => void supervisor.stop(), { once: true });
    try {
      await supervisor.startAll();
      return supervisor;
    } catch (error) {
      await supervisor.stop();
      throw error;
    }
  }

  /** Stops all at once; answers the names of those that did not stop in order. */
  stop(): Promise<readonly string[]> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** At once, for a person who cannot wait. */
  kill(): void {
    for (const slot of this.slots) slot.kill();
  }

  /** Replaces all workers one after the other. Asked during one, there is one more after it. */
  restart(): void {
    if (this.stopping !== null) return;
    this.isRollingWanted = true;
    this.rolling ??= this.roll().finally(() => {
      this.rolling = null;
    });
  }

  private async startAll(): Promise<void> {
    const { config, logger, signal } = this.options;
    this.port = await requireFreePort(config.listen);
    // The first one migrates the database and fills boards; the others need not wait for it in that.
    const [first, ...others] = this.slots;
    await first?.start();
    await Promise.all(others.map((slot) => this.isStarting() && slot.start()));
    if (signal.aborted) throw new StoppedError('the workers are stopped again: the server is stopping');
    const workers = await Promise.all(this.slots.map((slot) => describe(slot)));
    logger.info({ port: this.port, adminPort: workers[0]?.adminPort, workers }, 'server.ready');
  }

  private isStarting(): boolean {
    if (this.stopping === null) return true;
    throw new StoppedError('the server is stopping');
  }

  private async stopAll(): Promise<readonly string[]> {
    const ends = await Promise.all(this.slots.map(async (slot) => ({ name: slot.name, isClean: await slot.stop() })));
    await this.rolling?.catch(() => {});
    return ends.filter(({ isClean }) => !isClean).map(({ name }) => name);
  }

  private async roll(): Promise<void> {
    const { config, logger } = this.options;
    while (this.isRollingWanted && this.stopping === null) {
      this.isRollingWanted = false;
      const startedAt = performance.now();
      // The one that consumes comes last: what it is for waits in the log meanwhile.
      const order = [...this.slots].sort((a, b) => Number(a.name === 'core') - Number(b.name === 'core'));
      try {
        for (const [index, slot] of order.entries()) {
          if (this.stopping !== null) return;
          await slot.replace();
          logger.info(
            { worker: slot.name, pid: slot.current?.pid, done: index + 1, of: order.length },
            'worker.replaced',
          );
        }
        const ms = Math.round(performance.now() - startedAt);
        logger.info({ workers: config.workers, ms }, `rolling_restart workers=${config.workers} ms=${ms}`);
      } catch (error) {
        if (this.stopping !== null) return;
        logger.error({ err: error }, 'rolling_restart stopped: a new worker does not start, and the old ones go on');
      }
    }
  }

  private spawn(plan: WorkerPlan): WorkerProcess {
    const { config, program, env } = this.options;
    const adminPort = this.adminPorts.take(plan);
    const worker = new WorkerProcess({
      name: plan.name,
      program,
      env: {
        ...env,
        RANKCAST_ROLES: plan.roles.join(','),
        RANKCAST_PORT: String(this.port),
        RANKCAST_ADMIN_PORT: String(adminPort),
      },
      stopWithinMs: config.drainMs + STOP_WITHIN_MS,
    });
    void worker.ended.then(() => this.adminPorts.giveBack(adminPort));
    return worker;
  }
}

async function describe(slot: WorkerSlot): Promise<{ name: string; pid: number; adminPort: number }> {
  const worker = slot.current;
  const adminPort = (await worker?.ready())?.adminPort ?? 0;
  return { name: slot.name, pid: worker?.pid ?? 0, adminPort };
}
