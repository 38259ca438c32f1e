/** What has been started, in order, so that it can be stopped in reverse. */

import type { Logger } from 'pino';
import { RankcastError } from '../domain/errors.js';

const DEFAULT_STOP_TIMEOUT_MS = 10_000;

/** A step was asked to start, or was starting, when the stop had begun. */
export class StoppedError extends RankcastError {
  readonly isRetryable = false;
}

export interface LifecycleOptions {
  readonly logger: Logger;
  /** How long one step may take to stop before the next is stopped beside it. Default 10 s. */
  readonly stopTimeoutMs?: number;
}

interface StartedStep {
  readonly name: string;
  readonly stop: () => unknown;
}

export class Lifecycle {
  private readonly logger: Logger;
  private readonly stopTimeoutMs: number;
  private readonly started: StartedStep[] = [];
  private starting: Promise<unknown> = Promise.resolve();
  private stopping: Promise<readonly string[]> | null = null;

  constructor(options: LifecycleOptions) {
    this.logger = options.logger;
    this.stopTimeoutMs = options.stopTimeoutMs ?? DEFAULT_STOP_TIMEOUT_MS;
  }

  /**
   * Starts a step and remembers how to stop it; start one at a time. A failure passes through: then call `stop`, which
   * stops what had been started before. Throws `StoppedError` once the stop has begun.
   */
  async start<T>(name: string, start: () => T | Promise<T>, stop: (started: T) => unknown): Promise<T> {
    if (this.stopping !== null) throw new StoppedError(`${name} is not started: the server is stopping`);
    const starting = this.run(name, start, stop);
    this.starting = starting.catch(() => undefined);
    const started = await starting;
    if (this.stopping !== null) throw new StoppedError(`${name} is stopped again: the server is stopping`);
    return started;
  }

  /** Stops everything, last started first, once; later calls get the same answer: the names of steps that failed to stop. */
  stop(): Promise<readonly string[]> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async run<T>(name: string, start: () => T | Promise<T>, stop: (started: T) => unknown): Promise<T> {
    const started = await start();
    this.started.push({ name, stop: () => stop(started) });
    this.logger.debug({ step: name }, 'started');
    return started;
  }

  private async stopAll(): Promise<readonly string[]> {
    // A step that is half started (a child process, say) must be there to be stopped, or it would outlive us.
    const isStarted = await this.attempt('start in progress', () => this.starting);
    const failed = isStarted ? [] : ['start in progress'];
    for (const { name, stop } of this.started.reverse()) {
      if (!(await this.attempt(name, stop))) failed.push(name);
    }
    return failed;
  }

  private async attempt(name: string, stop: () => unknown): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const why = `took longer than ${this.stopTimeoutMs} ms`;
      timer = setTimeout(() => reject(new Error(why)), this.stopTimeoutMs);
    });
    try {
      await Promise.race([stop(), limit]);
      this.logger.debug({ step: name }, 'stopped');
      return true;
    } catch (error) {
      this.logger.error({ step: name, err: error }, 'did not stop cleanly');
      return false;
    } finally {
      clearTimeout(timer);
    }
  }
}
