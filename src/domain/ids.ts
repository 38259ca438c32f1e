/** Player and match ids: what is a legal one, and the one order in which they are compared. */

const MAX_ID_BYTES = 64;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** Board, season, mode and scope names: safe in a Redis key, a URL and a topic name without escaping. */
export const NAME_PATTERN = /^[a-z0-9-]{1,32}$/;

/** Ids are 1-64 bytes of well-formed UTF-8 without control characters; they are never normalised. */
export function isValidId(text: string): boolean {
  if (text.length === 0 || text.length > MAX_ID_BYTES) return false;
  if (CONTROL_CHARACTER.test(text) || !text.isWellFormed()) return false;
  return Buffer.byteLength(text) <= MAX_ID_BYTES;
}

/**
 * Orders ids by their UTF-8 bytes, as Redis and `COLLATE "C"` do, from their UTF-16 units: nothing is encoded in the
 * loops that compare. `<` on strings would put a surrogate pair (an emoji) below a full-width letter.
 */
export function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byteOrderOf(left) - byteOrderOf(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others, though their units lie below U+E000. */
function byteOrderOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
