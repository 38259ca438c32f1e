/**
 * The connection below a WebSocket of the generator: what arrives can be kept as it came, in a copy of a few hundred bytes for
 * each read, and handed to the WebSocket when the round is over. Taking messages apart as they come costs the generator as much
 * as sending them costs the server, on the same two cores.
 */

import net from 'node:net';
import { Duplex } from 'node:stream';

/** All connections read into it, one at a time. */
const READ_BUFFER = Buffer.allocUnsafe(65_536);

export class HeldConnection extends Duplex {
  private readonly socket: net.Socket;
  /** `null` where what comes is handed on at once. */
  private kept: Buffer[] | null = null;

  constructor(port: number, host: string) {
    super();
    this.socket = net.connect({
      port,
      host,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length) => {
          this.received(Buffer.from(READ_BUFFER.subarray(0, length)));
          return true;
        },
      },
    });
    this.socket.on('end', () => this.push(null));
    this.socket.on('error', (error) => this.destroy(error));
    this.socket.on('close', () => this.destroy());
  }

  hold(): void {
    this.kept ??= [];
  }

  /** Everything that was kept goes on, and what comes from now on at once. */
  letGo(): void {
    const kept = this.kept ?? [];
    this.kept = null;
    for (const bytes of kept) this.push(bytes);
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

  private received(bytes: Buffer): void {
    if (this.kept === null) this.push(bytes);
    else this.kept.push(bytes);
  }
}
