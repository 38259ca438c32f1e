/** A dead letter as one line of JSON, for scripts. */

import type { WaitingLetter } from './dead-letter-box.js';

// A byte order mark is a part of the text: it may be what the letter was refused for.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function describeLetter({ key, value, truncated, ...letter }: WaitingLetter): string {
  const cut = truncated === null ? {} : { truncated };
  return JSON.stringify({ ...letter, ...shown('key', key), ...shown('value', value), ...cut });
}

/** Under its name as text, under `<name>Base64` where it is not UTF-8; text that was lost on the way would look right. */
function shown(name: string, bytes: Uint8Array | null): Record<string, string | null> {
  if (bytes === null) return { [name]: null };
  try {
    return { [name]: utf8.decode(bytes) };
  } catch {
    return { [`${name}Base64`]: Buffer.from(bytes).toString('base64') };
  }
}
