/** Request bodies: gathered up to a limit, and read as JSON. */

import { MAX_BODY_BYTES } from './http.js';
import { badRequest, Problem } from './problem.js';

/** Gathers the chunks of one body. The server adapter pushes into it and ends the request at the first throw. */
export class BodyCollector {
  private readonly chunks: Uint8Array[] = [];
  private sizeBytes = 0;

  /** Copies the chunk, for servers reuse their buffers. Throws a 413 `Problem` above `MAX_BODY_BYTES`. */
  push(chunk: Uint8Array): void {
    this.sizeBytes += chunk.byteLength;
    if (this.sizeBytes > MAX_BODY_BYTES) {
      throw new Problem('too-large', `a body has at most ${MAX_BODY_BYTES} bytes: send it in several calls`);
    }
    this.chunks.push(chunk.slice());
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.chunks, this.sizeBytes);
  }
}

/** Throws a 400 `Problem` for what is no JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`the body is not JSON in UTF-8: ${why.slice(0, 200)}`);
  }
}
