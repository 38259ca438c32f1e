/** Secrets that are shown once: random enough to be guessed never, and kept as a hash. */

import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export function newSecret(prefix: string): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Of whatever text a client sent. It is what rows are found by: how long the look-up takes tells about the hash, which nobody
 * can steer, and nothing about the secret.
 */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
