/** The order of ids for clients: their UTF-8 bytes, as the server's lists have it, without making the bytes. */

const FIRST_SURROGATE = 0xd800;
const FIRST_ABOVE_SURROGATES = 0xe000;
const SURROGATE_COUNT = 0x800;
/** Lifts surrogates above everything else of 16 bits. */
const SURROGATE_LIFT = 0x2000;

/**
 * Negative where `a` comes before `b` by UTF-8 bytes, 0 where they are the same, else positive.
 * Windows sort by it descending among equal scores. Both must be well-formed, which all ids are.
 */
export function compareIdBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return byteWeight(left) - byteWeight(right);
  }
  return a.length - b.length;
}

/**
 * UTF-16 and UTF-8 disagree in one place: characters above U+FFFF are four bytes, larger than any of three, but their
 * surrogates (D800-DFFF) are smaller than E000-FFFF. Those two ranges swap places here.
 */
function byteWeight(unit: number): number {
  if (unit < FIRST_SURROGATE) return unit;
  return unit < FIRST_ABOVE_SURROGATES ? unit + SURROGATE_LIFT : unit - SURROGATE_COUNT;
}
