/**
 * A session's windows in which others moved somebody. A change may move everybody, so that all sessions have such rows at the
 * same moment: each sends its own at a phase of its own, and no result carries them along before that.
 */

import type { FlushTarget } from './flush-schedule.js';
import type { Outbox } from './outbox.js';
import type { MovingWindow, SessionWindow } from './windows.js';

/** Whose they are. */
export interface MovedSession {
  readonly outbox: Outbox;
  flush(): void;
  failed(): void;
}

const NONE: readonly never[] = [];

export class WaitingMoves implements FlushTarget {
  spentUntil = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  private windows: readonly MovingWindow[] = NONE;

  constructor(private readonly session: MovedSession) {}

  get ticks(): number {
    return 1;
  }

  get burst(): number {
    return 1;
  }

  get isPatient(): boolean {
    return true;
  }

  add(window: MovingWindow): void {
    if (!this.windows.includes(window)) this.windows = [...this.windows, window];
  }

  forget(window: SessionWindow): void {
    this.windows = this.windows.filter((one) => one !== window);
  }

  flush(): void {
    for (const window of this.windows) {
      window.takeMoves();
      this.session.outbox.markDirty(window);
    }
    this.windows = NONE;
    this.session.flush();
  }

  failed(): void {
    this.session.failed();
  }
}
