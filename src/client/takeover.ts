/** After GOAWAY: another connection in the background, tried as often as it takes while the old one still counts. */

import { CloseCode } from '../../proto/close-codes.js';
import type { GoawayFrame } from '../../proto/frames.js';
import { Backoff } from './backoff.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';

export interface TakeoverOptions {
  /** Waited on top of what GOAWAY asks for. */
  readonly leadMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** A connection that is not open yet; with `null` to the address that the application gave. */
  connectionTo(url: string | null): Connection;
}

export class Takeover {
  /** `null` before the first one and between two. */
  connection: Connection | null = null;
  private stopTimer: () => void;
  private readonly backoff: Backoff;
  private readonly options: TakeoverOptions;

  /** Begins after a part of `retryAfterMs` that chance decides: all clients of the server were told in one moment. */
  constructor(goaway: GoawayFrame, options: TakeoverOptions) {
    const [, , retryAfterMs, graceMs, url] = goaway;
    this.options = options;
    this.backoff = new Backoff(options.random);
    const waitMs = options.leadMs + Math.floor(options.random() * Math.min(retryAfterMs, graceMs));
    this.stopTimer = options.clock.after(waitMs, () => this.begin(typeof url === 'string' ? url : null));
  }

  /** The second connection ended. What GOAWAY named was for that one only. */
  lost(code: number): void {
    this.connection = null;
    this.stopTimer = this.options.clock.after(this.backoff.next(code), () => this.begin(null));
  }

  /** No further tries; what there is belongs to the caller. */
  release(): Connection | null {
    this.stopTimer();
    return this.connection;
  }

  cancel(): void {
    this.release()?.close(CloseCode.normal);
  }

  private begin(url: string | null): void {
    this.connection = this.options.connectionTo(url);
    this.connection.open();
  }
}

/**
 * Where a second connection goes: to `asked` where its scheme keeps the token as safe as `own` did, else to `own`.
 * Both are socket addresses.
 */
export function takeoverUrl(own: string, asked: string | null): string {
  if (asked === null) return own;
  return asked.startsWith('wss:') || (asked.startsWith('ws:') && own.startsWith('ws:')) ? asked : own;
}
