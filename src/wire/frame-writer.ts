/** Writes frame headers and already encoded elements by hand: msgpackr has no way to splice encoded elements into an array. */

import { EncodeError } from './encode.js';

const FIRST_CAPACITY_BYTES = 65_536;
/** The longest single thing `reserve` is asked for besides elements: a number with its code. */
const MAX_NUMBER_BYTES = 9;
/** Up to here a loop is faster than the call into `set` (25 ns measured, whatever the size). */
const SHORT_COPY_BYTES = 24;

/**
 * Collects one frame at a time in scratch memory: `start`, writes, then `finish`, which copies the frame out.
 * One writer serves the whole process, so there must be no await between `start` and `finish`.
 */
export class FrameWriter {
  private bytes = new Uint8Array(FIRST_CAPACITY_BYTES);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  start(): void {
    this.length = 0;
  }

  /**
   * The frame, in a piece of Node's pool that is its own: memory of its own would cost five times as much as the copy. It
   * keeps 8 KiB alive, so it is for what is sent soon.
   */
  finish(): Uint8Array {
    const frame = Buffer.allocUnsafe(this.length);
    frame.set(this.bytes.subarray(0, this.length));
    return frame;
  }

  nil(): void {
    this.reserve(1);
    this.byte(0xc0);
  }

  yes(): void {
    this.reserve(1);
    this.byte(0xc3);
  }

  arrayHeader(count: number): void {
    this.reserve(5);
    if (count < 16) this.byte(0x90 | count);
    else if (count < 0x1_0000) this.tagged16(0xdc, count);
    else this.tagged32(0xdd, count);
  }

  /** A `u`, 0 to 2^32-1, in its shortest form. */
  unsigned(value: number): void {
    if (value >>> 0 !== value) throw new EncodeError(`cannot send ${value} where the protocol has a u (0 to 2^32-1)`);
    this.reserve(MAX_NUMBER_BYTES);
    this.uint(value);
  }

  /**
   * An `n`: shortest unsigned form where it is a `u`, else float64 whatever it is. Integers from 2^32 on are float64 as
   * msgpackr has them, so that a client that cannot read one meets it in its first frame and not once in a season.
   */
  number(value: number): void {
    if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      throw new EncodeError(`cannot send the number ${value}: the protocol has finite ones up to 2^53-1`);
    }
    this.reserve(MAX_NUMBER_BYTES);
    if (value >>> 0 === value) {
      this.uint(value);
      return;
    }
    this.byte(0xcb);
    this.view.setFloat64(this.length, value);
    this.length += 8;
  }

  numberOrNil(value: number | null): void {
    if (value === null) this.nil();
    else this.number(value);
  }

  /** A complete msgpack value. */
  element(element: Uint8Array): void {
    const count = element.length;
    this.reserve(count);
    const { bytes, length } = this;
    if (count > SHORT_COPY_BYTES) bytes.set(element, length);
    else for (let index = 0; index < count; index += 1) bytes[length + index] = element[index] ?? 0;
    this.length = length + count;
  }

  private uint(value: number): void {
    if (value < 0x80) this.byte(value);
    else if (value < 0x100) this.tagged8(0xcc, value);
    else if (value < 0x1_0000) this.tagged16(0xcd, value);
    else this.tagged32(0xce, value);
  }

  private byte(value: number): void {
    this.bytes[this.length] = value;
    this.length += 1;
  }

  private tagged8(code: number, value: number): void {
    this.byte(code);
    this.byte(value);
  }

  private tagged16(code: number, value: number): void {
    this.byte(code);
    this.view.setUint16(this.length, value);
    this.length += 2;
  }

  private tagged32(code: number, value: number): void {
    this.byte(code);
    this.view.setUint32(this.length, value);
    this.length += 4;
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
}
