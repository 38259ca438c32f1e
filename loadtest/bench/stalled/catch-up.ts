/**
 * What a reader that stopped is sent when it reads again: what was on its way when its socket became full, then the present.
 * They are told apart by the time of the newest result in a frame, as nothing is collected for a full socket.
 */

/** What a message says of one window. */
export interface CaughtFrame {
  readonly topic: number;
  /** Time of the newest result in it, epoch milliseconds. */
  readonly at: number;
  /** Not where more parts of a snapshot follow. */
  readonly isWhole: boolean;
}

export class CatchUp {
  /** Of messages from before. */
  oldBytes = 0;
  /** Of messages from the first that shows something newer to the one with which each window is current. */
  bytes = 0;
  messages = 0;
  private readonly missing: Set<number>;

  /** `presentFrom`: epoch milliseconds; the socket was full then, and what is newer can only have been collected afterwards. */
  constructor(
    topics: Iterable<number>,
    private readonly presentFrom: number,
  ) {
    this.missing = new Set(topics);
  }

  get isDone(): boolean {
    return this.missing.size === 0;
  }

  /** A message came, after those before it. */
  message(bytes: number, frames: readonly CaughtFrame[]): void {
    if (this.isDone) return;
    const isNew = (frame: CaughtFrame): boolean => frame.at >= this.presentFrom;
    if (this.messages === 0 && !frames.some(isNew)) {
      this.oldBytes += bytes;
      return;
    }
    this.bytes += bytes;
    this.messages += 1;
    for (const frame of frames) if (isNew(frame) && frame.isWhole) this.missing.delete(frame.topic);
  }
}
