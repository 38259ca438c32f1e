/** Which processes a server of several workers is made of: one for consuming, and so many that share the port. */

import type { Config, Role } from '../config.js';
import { StartRefusedError } from '../domain/errors.js';

export interface WorkerPlan {
  /** `core`, `gateway 1`. */
  readonly name: string;
  /** Whether it listens on the port that workers share, so that a new one can begin beside it. */
  readonly isSharing: boolean;
  readonly roles: readonly Role[];
}

/** Of the roles that a client or a game server talks to; the others consume, and one process of them is enough. */
const SHARING_ROLES: readonly Role[] = ['gateway', 'intake'];

export function planWorkers({ roles, workers }: Pick<Config, 'roles' | 'workers'>): readonly WorkerPlan[] {
  const sharing = roles.filter((role) => SHARING_ROLES.includes(role));
  const core = roles.filter((role) => !SHARING_ROLES.includes(role));
  if (sharing.length === 0) {
    throw new StartRefusedError(
      `RANKCAST_WORKERS is ${workers}, and RANKCAST_ROLES has neither gateway nor intake: they are what workers share`,
    );
  }
  const plans = Array.from(
    { length: workers },
    (_, index): WorkerPlan => ({ name: `gateway ${index + 1}`, isSharing: true, roles: sharing }),
  );
  return core.length === 0 ? plans : [{ name: 'core', isSharing: false, roles: core }, ...plans];
}

/**
 * Admin ports: the configured one is for the core process, those above it for the others, one more than there are, so that a
 * new one can begin before the old one ends. Where 0 is configured, any.
 */
export class AdminPorts {
  private readonly free: number[];

  constructor(
    private readonly first: number,
    workers: number,
  ) {
    this.free = Array.from({ length: workers + 1 }, (_, index) => first + 1 + index);
  }

  /** The lowest that no worker has. */
  take({ isSharing }: WorkerPlan): number {
    if (this.first === 0 || !isSharing) return this.first;
    this.free.sort((a, b) => a - b);
    const port = this.free.shift();
    if (port === undefined) throw new Error('more workers than were planned ask for an admin port');
    return port;
  }

  giveBack(port: number): void {
    if (port > this.first && this.first > 0) this.free.push(port);
  }
}
