/** The sessions of this process and the boards they watch. */

import type { Logger } from 'pino';
import { CloseCode } from '../../proto/close-codes.js';
import type { FlushSchedule } from './flush-schedule.js';
import { Session, type SessionCounters, type TokenVerifier } from './session.js';
import type { Socket, SocketListener } from './socket.js';
import type { FriendLists, HubDirectory } from './subscriptions.js';

export interface GatewayCounters extends SessionCounters {
  opened(): void;
  closed(code: number): void;
}

export interface GatewayOptions {
  readonly tokens: TokenVerifier;
  readonly friends: FriendLists;
  readonly directory: HubDirectory;
  readonly schedule: FlushSchedule;
  readonly counters: GatewayCounters;
  readonly logger: Logger;
  readonly build: string;
}

const TICK_MS = 1_000;

export class Gateway {
  private readonly sessions = new Set<Session>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: GatewayOptions) {
    this.timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  open(socket: Socket): SocketListener {
    const { counters } = this.options;
    const session = new Session({ ...this.options, socket });
    this.sessions.add(session);
    counters.opened();
    return {
      received: (bytes) => session.received(bytes),
      drained: () => session.drained(),
      closed: (code) => {
        this.sessions.delete(session);
        session.closed();
        counters.closed(code);
      },
    };
  }

  /** Tells every client to come back elsewhere or later. */
  close(): void {
    clearInterval(this.timer);
    for (const session of [...this.sessions]) session.end(CloseCode.draining, 'the server is stopping');
  }

  private tick(): void {
    const now = performance.now();
    for (const session of [...this.sessions]) session.tick(now);
  }
}
