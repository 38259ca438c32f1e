/** Whether this process may be sent traffic, and which dependency is why not. */

export interface DependencyReport {
  readonly isReady: boolean;
  /** Why not, for a person; `null` where ready. */
  readonly reason: string | null;
}

/** `starting` until `serve` was called, `draining` from `drain` on; in between it depends on the dependencies. */
export type ReadinessStatus = 'starting' | 'ready' | 'not-ready' | 'draining';

export interface ReadinessReport {
  readonly status: ReadinessStatus;
  readonly dependencies: Readonly<Record<string, DependencyReport>>;
}

export class Readiness {
  private readonly dependencies = new Map<string, DependencyReport>();
  private phase: 'starting' | 'serving' | 'draining' = 'starting';

  /** Adds the dependency where it is new. */
  markReady(dependency: string): void {
    this.dependencies.set(dependency, { isReady: true, reason: null });
  }

  /** Adds the dependency where it is new: call it once for each before `serve`. */
  markNotReady(dependency: string, reason: string): void {
    this.dependencies.set(dependency, { isReady: false, reason });
  }

  /** Everything has been started. */
  serve(): void {
    if (this.phase === 'starting') this.phase = 'serving';
  }

  /** The stop has begun; there is no way back. */
  drain(): void {
    this.phase = 'draining';
  }

  report(): ReadinessReport {
    return { status: this.status(), dependencies: Object.fromEntries(this.dependencies) };
  }

  private status(): ReadinessStatus {
    if (this.phase !== 'serving') return this.phase;
    return [...this.dependencies.values()].every(({ isReady }) => isReady) ? 'ready' : 'not-ready';
  }
}
