/**
 * What one session still has to be sent. Windows hold state, not queues, so the latest wins; what waits here in bytes is
 * bounded by one flush and the answers to the client's own few frames. While the socket is full nothing is collected.
 */

import { MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { assembleBatch, MAX_BATCH_HEADER_BYTES } from '../wire/assemble.js';
import type { Socket } from './socket.js';

/** A window of the session as its outbox sees it. */
export interface PendingWindow {
  /** Smaller goes first: own rank before friends before shared windows. */
  readonly priority: number;
  /** Moves what is pending into `frames`, in the order to be sent. */
  collect(frames: Uint8Array[]): void;
}

export interface OutboxCounters {
  sent(bytes: number): void;
  /** Something changed while the socket was full; it is sent as current state after the drain. */
  conflated(): void;
}

export class Outbox {
  /** Answers and rests of a cut flush, in order, before anything else. */
  private queue: Uint8Array[] = [];
  private readonly dirty = new Set<PendingWindow>();
  /** `performance.now()` since when the socket takes nothing, else `null`. */
  blockedSince: number | null = null;
  /** `performance.now()` of the last frame sent. */
  lastSentAt = performance.now();
  /** Whether the client takes BATCH frames. */
  canBatch = false;

  constructor(
    private readonly socket: Socket,
    private readonly counters: OutboxCounters,
    /** Bytes were dropped, which our own limits rule out: the session must not go on as if they had arrived. */
    private readonly onDropped: () => void,
  ) {}

  get isBlocked(): boolean {
    return this.blockedSince !== null;
  }

  /** Queues an answer; `flush` sends it. */
  push(frame: Uint8Array): void {
    this.queue.push(frame);
  }

  markDirty(window: PendingWindow): void {
    if (this.isBlocked) this.counters.conflated();
    this.dirty.add(window);
  }

  forget(window: PendingWindow): void {
    this.dirty.delete(window);
  }

  drained(): void {
    this.blockedSince = null;
    this.flush();
  }

  flush(): void {
    if (this.isBlocked) return;
    const frames = this.queue;
    this.queue = [];
    for (const window of [...this.dirty].sort((a, b) => a.priority - b.priority)) window.collect(frames);
    this.dirty.clear();
    if (frames.length > 0) this.sendAll(frames);
  }

  private sendAll(frames: readonly Uint8Array[]): void {
    const groups = this.canBatch ? gather(frames) : frames.map((frame) => [frame]);
    const sendGroups = (): void => {
      for (const group of groups) {
        if (this.isBlocked) this.queue.push(...group);
        else this.send(group);
      }
    };
    if (groups.length === 1) sendGroups();
    else this.socket.cork(sendGroups);
  }

  private send(group: readonly Uint8Array[]): void {
    const only = group.length === 1 ? group[0] : undefined;
    const message = only ?? assembleBatch(group);
    const result = this.socket.send(message);
    if (result !== 'sent') this.blockedSince = performance.now();
    if (result === 'dropped') return this.onDropped();
    this.lastSentAt = performance.now();
    this.counters.sent(message.byteLength);
  }
}

/** Groups neighbouring frames that fit into one BATCH frame under the limit. */
function gather(frames: readonly Uint8Array[]): Uint8Array[][] {
  const groups: Uint8Array[][] = [];
  let group: Uint8Array[] = [];
  let bytes = MAX_BATCH_HEADER_BYTES;
  for (const frame of frames) {
    if (group.length > 0 && bytes + frame.byteLength > MAX_SERVER_FRAME_BYTES) {
      groups.push(group);
      group = [];
      bytes = MAX_BATCH_HEADER_BYTES;
    }
    group.push(frame);
    bytes += frame.byteLength;
  }
  if (group.length > 0) groups.push(group);
  return groups;
}
