/**
 * The connection below a WebSocket of the generator: what arrives can be kept as it came, and handed to the WebSocket when the
 * round is over. Taking messages apart as they come costs the generator as much as sending them costs the server, on the same
 * two cores; so do buffers for each read, whose collection stops the generator for tens of milliseconds.
 */

import net from 'node:net';
import { Duplex } from 'node:stream';

/** All connections read into it, one at a time. */
const READ_BUFFER = Buffer.allocUnsafe(65_536);
/** Of what one keeps, at first: more than a round of the default length brings a socket. */
const FIRST_KEPT_BYTES = 16_384;

export class HeldConnection extends Duplex {
  private readonly socket: net.Socket;
  /** Once there, it stays for the next time. */
  private kept: Buffer | null = null;
  private keptBytes = 0;
  private isHolding = false;

  constructor(port: number, host: string) {
    super();
    this.socket = net.connect({
      port,
      host,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length) => {
          this.received(READ_BUFFER.subarray(0, length));
          return true;
        },
      },
    });
    this.socket.on('end', () => this.push(null));
    this.socket.on('error', (error) => this.destroy(error));
    this.socket.on('close', () => this.destroy());
  }

  hold(): void {
    this.kept ??= Buffer.allocUnsafeSlow(FIRST_KEPT_BYTES);
    this.isHolding = true;
  }

  /** Everything that was kept goes on, and what comes from now on at once. */
  letGo(): void {
    this.isHolding = false;
    if (this.kept !== null && this.keptBytes > 0) this.push(Buffer.from(this.kept.subarray(0, this.keptBytes)));
    this.keptBytes = 0;
  }

  /** Leaves in the kernel what comes. */
  stopReading(): void {
    this.socket.pause();
  }

  goOnReading(): void {
    this.socket.resume();
  }

  /** As `net.Socket` has it; the client of `ws` calls both. */
  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.socket.write(chunk, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.socket.end(callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.socket.destroy();
    callback(error);
  }

  private received(bytes: Uint8Array): void {
    if (this.isHolding) this.keep(bytes);
    else this.push(Buffer.from(bytes));
  }

  private keep(bytes: Uint8Array): void {
    const needed = this.keptBytes + bytes.byteLength;
    const kept = this.kept ?? Buffer.allocUnsafeSlow(FIRST_KEPT_BYTES);
    this.kept = needed <= kept.byteLength ? kept : Buffer.concat([kept], Math.max(needed, 2 * kept.byteLength));
    this.kept.set(bytes, this.keptBytes);
    this.keptBytes = needed;
  }
}
