/**
 * Sockets that are read in bulk now and then instead of frame by frame, and whose frames are looked at when the load is over:
 * nothing of what they receive is lost or left out, and the generator, which shares its cores with the server, has time for the
 * few that are read at once and tell how long it took.
 */

import type { HeldConnection } from './held-connection.js';

const EVERY_MS = 500;
const GROUPS = 50;
/** Long enough for all that the kernel holds of one socket. */
const OPEN_MS = 15;

export class LazyReads {
  private readonly groups: HeldConnection[][] = Array.from({ length: GROUPS }, () => []);
  private timer: NodeJS.Timeout | undefined;
  private next = 0;

  constructor(connections: readonly HeldConnection[]) {
    connections.forEach((connection, index) => void this.groups[index % GROUPS]?.push(connection));
  }

  start(): void {
    for (const connection of this.groups.flat()) {
      connection.hold();
      connection.stopReading();
    }
    this.timer = setInterval(() => this.readNext(), EVERY_MS / GROUPS);
  }

  /** All are read as they come from now on; what was kept stays kept. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    for (const connection of this.groups.flat()) connection.goOnReading();
  }

  /** Everything is looked at now. */
  letGo(): void {
    for (const connection of this.groups.flat()) connection.letGo();
  }

  private readNext(): void {
    const group = this.groups[this.next] ?? [];
    this.next = (this.next + 1) % GROUPS;
    for (const connection of group) connection.goOnReading();
    const { timer } = this;
    setTimeout(() => {
      if (timer === this.timer && timer !== undefined) for (const connection of group) connection.stopReading();
    }, OPEN_MS);
  }
}
