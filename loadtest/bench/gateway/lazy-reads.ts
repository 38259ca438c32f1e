/**
 * Sockets that are read in bulk now and then instead of frame by frame, and whose frames are looked at when the load is over:
 * nothing of what they receive is lost or left out, and the generator, which shares its cores with the server, has time for the
 * few that are read at once and tell how long it took.
 */

export interface Pausable {
  pause(): void;
  resume(): void;
  /** Frames are kept from now on. */
  defer?(): void;
}

const EVERY_MS = 500;
const GROUPS = 50;
/** Long enough for all that the kernel holds of one socket. */
const OPEN_MS = 15;

export class LazyReads {
  private readonly groups: Pausable[][] = Array.from({ length: GROUPS }, () => []);
  private timer: NodeJS.Timeout | undefined;
  private next = 0;

  constructor(sockets: readonly Pausable[]) {
    sockets.forEach((socket, index) => void this.groups[index % GROUPS]?.push(socket));
  }

  start(): void {
    for (const socket of this.groups.flat()) {
      socket.defer?.();
      socket.pause();
    }
    this.timer = setInterval(() => this.readNext(), EVERY_MS / GROUPS);
  }

  /** All are read as they come from now on. */
  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    for (const group of this.groups) for (const socket of group) socket.resume();
  }

  private readNext(): void {
    const group = this.groups[this.next] ?? [];
    this.next = (this.next + 1) % GROUPS;
    for (const socket of group) socket.resume();
    const { timer } = this;
    setTimeout(() => {
      if (timer === this.timer && timer !== undefined) for (const socket of group) socket.pause();
    }, OPEN_MS);
  }
}
