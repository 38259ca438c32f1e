import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { FrameType, MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { MAX_ANSWER_BYTES, Outbox, type OutboxCounters, type PendingWindow } from '../../src/gateway/outbox.js';
import type { SendResult } from '../../src/gateway/socket.js';
import { decodeFrame } from '../../src/wire/decode.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { MemorySocket } from './support/memory-socket.js';

let socket: MemorySocket;
let outbox: Outbox;
let droppedCount: number;
let conflatedCount: number;
let sentBytes: number;
let blocked: Set<Outbox>;

beforeEach(() => {
  socket = new MemorySocket();
  blocked = new Set();
  [droppedCount, conflatedCount, sentBytes] = [0, 0, 0];
  outbox = new Outbox(
    socket,
    {
      sent: (bytes) => (sentBytes += bytes),
      conflated: () => (conflatedCount += 1),
      blocked: (one) => blocked.add(one),
      unblocked: (one) => blocked.delete(one),
    },
    () => (droppedCount += 1),
  );
  outbox.canBatch = true;
});

const pong = (nonce: number) => encodeFrame([FrameType.pong, nonce, 0]);
/** A frame of about so many bytes, told apart by its number. */
const sized = (nonce: number, bytes: number) => encodeFrame([FrameType.error, nonce, 500, 'x'.repeat(bytes), null]);

/** The numbers of all frames sent, in order; throws where a BATCH holds another. */
function numbers(messages: readonly Uint8Array[] = socket.sent): number[] {
  return messages.flatMap((message) => {
    const frame = decodeFrame(message) as [number, unknown];
    if (frame[0] !== FrameType.batch) return [Number(frame[1])];
    return (frame[1] as [number, number][]).map(([type, number]) => {
      if (type === FrameType.batch) throw new Error('a BATCH inside a BATCH');
      return number;
    });
  });
}

const NO_COUNTERS: OutboxCounters = { sent: () => {}, conflated: () => {}, blocked: () => {}, unblocked: () => {} };

class Counter implements PendingWindow {
  collected = 0;
  constructor(
    readonly priority: number,
    private readonly frames: (collected: number) => Uint8Array[],
  ) {}
  collect(frames: Uint8Array[]): void {
    this.collected += 1;
    frames.push(...this.frames(this.collected));
  }
}

describe('Outbox', () => {
  it('sends nothing where there is nothing', () => {
    outbox.flush();
    outbox.markDirty(new Counter(0, () => []));
    outbox.flush();
    expect([socket.sent, sentBytes]).toEqual([[], 0]);
  });

  it('sends one frame as it is and several as one BATCH, and counts the bytes', () => {
    outbox.push(pong(1));
    outbox.flush();
    outbox.push(pong(2));
    outbox.push(pong(3));
    outbox.flush();
    expect(socket.sent[0]).toEqual(pong(1));
    expect(decodeFrame(socket.sent[1] ?? new Uint8Array())).toEqual([
      0,
      [
        [4, 2, 0],
        [4, 3, 0],
      ],
    ]);
    expect(socket.sent).toHaveLength(2);
    expect(sentBytes).toBe((socket.sent[0]?.byteLength ?? 0) + (socket.sent[1]?.byteLength ?? 0));
  });

  it('sends answers first, then windows by priority, each once', () => {
    const windows = [3, 1, 2].map((priority) => new Counter(priority, () => [pong(priority)]));
    for (const window of [...windows, ...windows]) outbox.markDirty(window);
    outbox.push(pong(9));
    outbox.flush();
    outbox.flush();
    expect(numbers()).toEqual([9, 1, 2, 3]);
    expect(windows.map((window) => window.collected)).toEqual([1, 1, 1]);
  });

  it('does not collect a window that was forgotten', () => {
    const window = new Counter(1, () => [pong(1)]);
    outbox.markDirty(window);
    outbox.forget(window);
    outbox.flush();
    expect([window.collected, socket.sent]).toEqual([0, []]);
  });

  it('sends each frame alone to a client that takes no BATCH, in one cork', () => {
    outbox.canBatch = false;
    for (const nonce of [1, 2, 3]) outbox.push(pong(nonce));
    outbox.flush();
    expect(socket.sent).toEqual([pong(1), pong(2), pong(3)]);
    expect(socket.corkCount).toBe(1);
  });

  it('collects nothing while the socket is full, and sends the state of the drain', () => {
    const window = new Counter(1, (collected) => [pong(100 + collected)]);
    socket.answer = 'queued';
    outbox.push(pong(1));
    outbox.flush();
    expect([outbox.isBlocked, socket.sent.length]).toEqual([true, 1]);
    for (let i = 0; i < 1_000; i++) {
      outbox.markDirty(window);
      outbox.flush();
    }
    expect([window.collected, socket.sent.length, conflatedCount]).toEqual([0, 1, 1_000]);
    socket.answer = 'sent';
    outbox.drained();
    expect([numbers(), outbox.isBlocked, window.collected]).toEqual([[1, 101], false, 1]);
  });

  it('keeps what a full socket cut off, in order, before anything newer', () => {
    outbox.canBatch = false;
    const window = new Counter(1, () => [pong(4)]);
    for (const nonce of [1, 2, 3]) outbox.push(pong(nonce));
    socket.answer = 'queued';
    outbox.flush();
    outbox.push(pong(5));
    outbox.markDirty(window);
    outbox.drained();
    expect([numbers(), outbox.isBlocked]).toEqual([[1, 2], true]);
    socket.answer = 'sent';
    outbox.drained();
    expect(numbers()).toEqual([1, 2, 3, 5, 4]);
  });

  it('says when bytes were dropped and stops', () => {
    socket.answer = 'dropped';
    outbox.canBatch = false;
    outbox.push(pong(1));
    outbox.push(pong(2));
    outbox.flush();
    expect([droppedCount, outbox.isBlocked, sentBytes]).toEqual([1, true, 0]);
  });

  it('collects what others caused only when the rest of a cut flush is on its way: it does not grow with slow drains', () => {
    outbox.canBatch = false;
    const windows = [1, 2, 3].map((priority) => new Counter(priority, () => [pong(priority)]));
    socket.answer = 'queued';
    for (let i = 0; i < 3_000; i++) {
      for (const window of windows) outbox.markDirty(window);
      outbox.flush();
      outbox.drained();
      expect(outbox.waitingBytes()).toBeLessThanOrEqual(3 * pong(1).byteLength);
    }
    expect(numbers().slice(0, 6)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(Math.max(...windows.map((window) => window.collected))).toBeLessThanOrEqual(1_001 * 2);
  });

  it('collects the next window only when the one before, a long one, is on its way', () => {
    const long = new Counter(1, () => Array.from({ length: 10 }, () => sized(1, MAX_SERVER_FRAME_BYTES - 50)));
    const next = new Counter(2, () => [pong(2)]);
    for (const window of [next, long]) outbox.markDirty(window);
    socket.answer = 'queued';
    outbox.flush();
    expect([socket.sent.length, next.collected]).toEqual([1, 0]);
    socket.answer = 'sent';
    outbox.drained();
    expect(numbers()).toEqual([...Array.from({ length: 10 }, () => 1), 2]);
  });

  it('ends a session whose client asks without reading, and keeps no more than the limit until then', () => {
    socket.answer = 'queued';
    outbox.push(pong(0));
    outbox.flush();
    let pushed = 0;
    for (; droppedCount === 0 && pushed < 100_000; pushed++) outbox.push(sized(pushed, 100));
    expect([droppedCount, pushed > 200]).toEqual([1, true]);
    expect(outbox.waitingBytes()).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
    // Who reads may ask as much as he likes.
    socket.answer = 'sent';
    outbox.drained();
    for (let i = 0; i < 1_000; i++) {
      outbox.push(sized(i, 100));
      if (i % 10 === 0) outbox.flush();
    }
    expect(droppedCount).toBe(1);
  });

  it('takes for full a socket that took all of a cork and has bytes waiting after it', () => {
    outbox.canBatch = false;
    socket.buffered = 700;
    for (const nonce of [1, 2]) outbox.push(pong(nonce));
    outbox.flush();
    outbox.push(pong(3));
    outbox.flush();
    expect([numbers(), outbox.isBlocked]).toEqual([[1, 2], true]);
    socket.buffered = 0;
    outbox.drained();
    expect([numbers(), outbox.isBlocked]).toEqual([[1, 2, 3], false]);
  });

  it('is told of while it is blocked, with all bytes that wait, and not after the drain or the close', () => {
    outbox.canBatch = false;
    [socket.answer, socket.buffered] = ['queued', 500];
    for (const nonce of [1, 2, 3]) outbox.push(pong(nonce));
    outbox.flush();
    outbox.push(pong(4));
    expect([...blocked].map((one) => one.waitingBytes())).toEqual([500 + 3 * pong(1).byteLength]);
    [socket.answer, socket.buffered] = ['sent', 0];
    outbox.drained();
    expect(blocked.size).toBe(0);
    socket.answer = 'queued';
    outbox.push(pong(5));
    outbox.flush();
    expect(blocked.size).toBe(1);
    outbox.close();
    expect(blocked.size).toBe(0);
    outbox.push(pong(6));
    outbox.markDirty(new Counter(1, () => [pong(7)]));
    outbox.drained();
    expect(numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  it('remembers since when it is blocked and that it sent', () => {
    const before = performance.now();
    socket.answer = 'queued';
    outbox.push(pong(1));
    outbox.flush();
    const { blockedSince, hasSent } = outbox;
    expect(blockedSince).toBeGreaterThanOrEqual(before);
    expect(hasSent).toBe(true);
    expect(blockedSince).toBeLessThanOrEqual(performance.now());
    outbox.flush();
    expect(outbox.blockedSince).toBe(blockedSince);
  });

  it('fills a BATCH up to the frame limit and never above', () => {
    const frame = sized(1, 1_000);
    const count = Math.floor((MAX_SERVER_FRAME_BYTES - 5) / frame.byteLength);
    for (let i = 0; i < count + 1; i++) outbox.push(frame);
    outbox.flush();
    expect(socket.sent).toHaveLength(2);
    const sizes = socket.sent.map((message) => message.byteLength);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_SERVER_FRAME_BYTES);
    expect(sizes[0]).toBeGreaterThan(MAX_SERVER_FRAME_BYTES - 2 * frame.byteLength);
  });

  it('keeps every frame, in order, in messages under the limit, whatever the socket answers', () => {
    const size = fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 10_000, max: MAX_SERVER_FRAME_BYTES - 20 }));
    const answer = fc.constantFrom<SendResult>('sent', 'sent', 'queued');
    fc.assert(
      fc.property(
        fc.array(fc.array(size, { maxLength: 6 }), { maxLength: 8 }),
        fc.array(answer),
        fc.boolean(),
        (flushes, answers, canBatch) => {
          const socket = new MemorySocket();
          const box = new Outbox(socket, NO_COUNTERS, () => {});
          box.canBatch = canBatch;
          const waiting: Uint8Array[] = [];
          const window = new Counter(1, () => waiting.splice(0));
          let pushed = 0;
          socket.onSent = () => {
            socket.answer = answers.pop() ?? 'sent';
          };
          for (const sizes of flushes) {
            for (const bytes of sizes) waiting.push(sized(++pushed, bytes));
            box.markDirty(window);
            box.flush();
            if (box.isBlocked && pushed % 2 === 0) box.drained();
          }
          while (box.isBlocked) box.drained();
          expect(numbers(socket.sent)).toEqual(Array.from({ length: pushed }, (_, index) => index + 1));
          for (const message of socket.sent) expect(message.byteLength).toBeLessThanOrEqual(MAX_SERVER_FRAME_BYTES);
        },
      ),
      { numRuns: 200 },
    );
  });
});
