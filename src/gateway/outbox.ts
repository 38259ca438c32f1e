/**
 * What one session still has to be sent. Windows hold state, not queues, so the latest wins; while the socket is full
 * nothing is collected. What waits here in bytes is bounded whatever its reader does: the rest of one flush, which is
 * `FLUSH_BYTES` and at most one window more, and `MAX_ANSWER_BYTES` of answers. The socket is given nothing after the
 * first sign that it is full, so it holds at most one message and what a cork had gathered.
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
  /** The socket takes nothing more for now. */
  blocked(outbox: Outbox): void;
  /** It does again, or it is closed. */
  unblocked(outbox: Outbox): void;
}

/** Windows are collected until this is reached, the others when it is on its way: a snapshot can take a megabyte. */
const FLUSH_BYTES = 4 * MAX_SERVER_FRAME_BYTES;
/** Answers that may wait for a client that asks and does not read. */
export const MAX_ANSWER_BYTES = MAX_SERVER_FRAME_BYTES;

export class Outbox {
  /** Messages of a flush that a full socket cut, each the frames of one; before anything else. */
  private rest: Uint8Array[][] = [];
  /** To the client's own frames; before what windows have to say. */
  private answers: Uint8Array[] = [];
  private answerBytes = 0;
  /** Each once; a session has a few. */
  private dirty: PendingWindow[] = [];
  private isClosed = false;
  /** `performance.now()` since when the socket takes nothing, else `null`. */
  blockedSince: number | null = null;
  /** Whether anything was sent since this was last set to false. */
  hasSent = false;
  /** Whether the client takes BATCH frames. */
  canBatch = false;

  constructor(
    private readonly socket: Socket,
    private readonly counters: OutboxCounters,
    /** The session must end: answers grew over their limit, or the socket dropped bytes, which our limits rule out. */
    private readonly onTooSlow: () => void,
  ) {}

  get isBlocked(): boolean {
    return this.blockedSince !== null;
  }

  /** Bytes that wait for the reader, here and in the socket. */
  waitingBytes(): number {
    const restBytes = this.rest.reduce((bytes, message) => bytes + sizeOf(message), 0);
    return restBytes + this.answerBytes + this.socket.bufferedBytes();
  }

  /** Queues an answer; `flush` sends it. */
  push(frame: Uint8Array): void {
    if (this.isClosed) return;
    if (this.isBlocked && this.answerBytes + frame.byteLength > MAX_ANSWER_BYTES) return this.onTooSlow();
    this.answers.push(frame);
    this.answerBytes += frame.byteLength;
  }

  markDirty(window: PendingWindow): void {
    if (this.isClosed) return;
    if (this.isBlocked) this.counters.conflated();
    if (!this.dirty.includes(window)) this.dirty.push(window);
  }

  forget(window: PendingWindow): void {
    const index = this.dirty.indexOf(window);
    if (index !== -1) this.dirty.splice(index, 1);
  }

  /** Of what a full socket cut, these do not leave; a window that lost some must send a snapshot next. */
  withhold(isWithheld: (frame: Uint8Array) => boolean): void {
    const left = this.rest.map((message) => message.filter((frame) => !isWithheld(frame)));
    this.rest = left.filter((message) => message.length > 0);
  }

  drained(): void {
    this.unblock();
    this.flush();
  }

  /** Sends what there is until the socket is full. */
  flush(): void {
    if (this.isBlocked) return;
    if (this.rest.length > 0) this.sendAll(this.rest);
    while (!this.isBlocked && (this.answers.length > 0 || this.dirty.length > 0)) {
      const frames = this.take();
      // By far the most flushes: a change, a frame.
      if (frames.length === 1) this.send(frames);
      else this.sendAll(this.canBatch ? gather(frames) : frames.map((frame) => [frame]));
    }
  }

  /** Nothing leaves any more. */
  close(): void {
    this.isClosed = true;
    this.unblock();
    this.rest = [];
    this.answers = [];
    this.answerBytes = 0;
    this.dirty = [];
  }

  /** Answers, then windows by priority, until it is enough for one flush. */
  private take(): Uint8Array[] {
    const frames = this.takeAnswers();
    const windows = this.dirty;
    this.dirty = [];
    if (windows.length > 1) windows.sort((a, b) => a.priority - b.priority);
    let counted = frames.length;
    let bytes = 0;
    let collected = 0;
    while (collected < windows.length && bytes < FLUSH_BYTES) {
      windows[collected]?.collect(frames);
      collected += 1;
      for (; counted < frames.length; counted += 1) bytes += frames[counted]?.byteLength ?? 0;
    }
    if (collected < windows.length) this.dirty = [...windows.slice(collected), ...this.dirty];
    return frames;
  }

  private takeAnswers(): Uint8Array[] {
    if (this.answers.length === 0) return [];
    const { answers } = this;
    this.answers = [];
    this.answerBytes = 0;
    return answers;
  }

  /** What a full socket does not take is the rest then. */
  private sendAll(messages: Uint8Array[][]): void {
    let sent = 0;
    const send = (): void => {
      for (; sent < messages.length && !this.isBlocked && !this.isClosed; sent += 1) this.send(messages[sent] ?? []);
    };
    if (messages.length > 1) this.socket.cork(send);
    else send();
    this.rest = this.isClosed ? [] : messages.slice(sent);
    // Inside a cork `send` says that all is well; that the socket is full shows at its end.
    if (messages.length > 1 && !this.isBlocked && !this.isClosed && this.socket.bufferedBytes() > 0) this.block();
  }

  private send(frames: readonly Uint8Array[]): void {
    const only = frames.length === 1 ? frames[0] : undefined;
    const message = only ?? assembleBatch(frames);
    const result = this.socket.send(message);
    if (result !== 'sent') this.block();
    if (result === 'dropped') return this.onTooSlow();
    this.hasSent = true;
    this.counters.sent(message.byteLength);
  }

  private block(): void {
    this.blockedSince = performance.now();
    this.counters.blocked(this);
  }

  private unblock(): void {
    if (!this.isBlocked) return;
    this.blockedSince = null;
    this.counters.unblocked(this);
  }
}

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((bytes, frame) => bytes + frame.byteLength, 0);
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
