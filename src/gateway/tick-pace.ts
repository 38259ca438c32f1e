/**
 * How long a hot target waits between two flushes: the configured tick, longer while this process is short of CPU, since
 * fewer and larger frames are the one thing that makes it cheaper. Its own CPU time decides and not how late timers are:
 * a neighbour's load is not cured by holding back frames.
 */

/** What the process may use of one core before frames are gathered longer, and when it goes back. */
const BUSY_RATIO = 0.85;
const RELAXED_RATIO = 0.7;
const GROWTH = 1.5;
const MAX_FACTOR = 8;
const SAMPLE_EVERY_MS = 250;

export interface TickPaceOptions {
  /** The tick of a process that keeps up, milliseconds. */
  readonly tickMs: number;
  /** CPU time of this process so far, milliseconds. Default: all of its threads. */
  readonly cpuMs?: () => number;
  /** A monotonic clock, milliseconds. */
  readonly now?: () => number;
}

export class TickPace {
  private factor = 1;
  private sampledAt: number;
  private sampledCpuMs: number;
  private readonly cpuMs: () => number;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: TickPaceOptions) {
    this.cpuMs = options.cpuMs ?? readCpuMs;
    this.now = options.now ?? (() => performance.now());
    this.sampledAt = this.now();
    this.sampledCpuMs = this.cpuMs();
  }

  get tickMs(): number {
    return this.options.tickMs * this.factor;
  }

  start(): void {
    this.timer = setInterval(() => this.sample(), SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Looks at the CPU time since the last look. */
  sample(): void {
    const now = this.now();
    const cpuMs = this.cpuMs();
    const ratio = (cpuMs - this.sampledCpuMs) / Math.max(now - this.sampledAt, 1);
    this.sampledAt = now;
    this.sampledCpuMs = cpuMs;
    if (ratio > BUSY_RATIO) this.factor = Math.min(this.factor * GROWTH, MAX_FACTOR);
    else if (ratio < RELAXED_RATIO) this.factor = Math.max(this.factor / GROWTH, 1);
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
