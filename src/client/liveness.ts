/** Whether the other side still lives: a silence that lasts too long, and a question where there is reason to doubt. */

import type { Clock } from './clock.js';

/** Who was heard this lately need not be asked. */
const FRESH_MS = 2_000;
/** With the first wait of the backoff a new socket is under way well within five seconds of a doubt. */
const ANSWER_WITHIN_MS = 3_000;

export class Liveness {
  private heardAt = 0;
  private limitMs = 0;
  private isAsking = false;
  private stopTimer: () => void = () => undefined;
  private readonly clock: Clock;
  private readonly onDead: (reason: string) => void;

  constructor(clock: Clock, onDead: (reason: string) => void) {
    this.clock = clock;
    this.onDead = onDead;
  }

  /** Any frame is life. */
  heard(): void {
    this.heardAt = this.clock.now();
    this.isAsking = false;
  }

  /** Calls `onDead`, once, after `limitMs` without a frame. */
  start(limitMs: number): void {
    this.stopTimer();
    this.limitMs = limitMs;
    this.watch();
  }

  /**
   * For when the network or the machine came back: a socket may be long dead and still look open. Unless a frame came
   * just now, calls `ask`, and `onDead` where no frame follows; at once where the silence was too long already, for
   * timers sleep with their machine. Does nothing while a question is open.
   */
  doubt(ask: () => void): void {
    const quietMs = this.clock.now() - this.heardAt;
    // Below zero the clock was set back, and says nothing.
    if (this.isAsking || (quietMs >= 0 && quietMs < FRESH_MS)) return;
    if (quietMs >= this.limitMs) return this.onDead('nothing heard from the server');
    this.stopTimer();
    this.isAsking = true;
    this.stopTimer = this.clock.after(ANSWER_WITHIN_MS, () => {
      if (this.isAsking) this.onDead('no answer from the server');
      else this.watch();
    });
    ask();
  }

  stop(): void {
    this.stopTimer();
    this.isAsking = false;
  }

  /** One timer that looks at the clock costs nothing per frame and notices a machine that slept. */
  private watch(): void {
    // A clock that was set back must not make the silence look negative for hours.
    const quietMs = Math.max(0, this.clock.now() - this.heardAt);
    if (quietMs >= this.limitMs) return this.onDead('nothing heard from the server');
    this.stopTimer = this.clock.after(this.limitMs - quietMs, () => this.watch());
  }
}
