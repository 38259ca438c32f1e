/** The JSON twin of the wire, for people with a debugger: the same values under the same rules as msgpack's. */

import { DecodeError, decodeFrame, MAX_DEPTH } from './decode.js';

// ignoreBOM: JSON text may not begin with one, so it is refused and not skipped.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * Reads exactly one value from UTF-8 JSON text: what `decodeFrame` answers for the same value as msgpack, refused for the same
 * reasons with `DecodeError`, which quotes nothing of the input. Of a key that comes twice the last one counts. Give it
 * bounded input: the text is parsed before its nesting is looked at.
 */
export function decodeJson(bytes: Uint8Array): unknown {
  return checked(parsed(bytes), MAX_DEPTH);
}

/** The text of a frame that the encoder of this server made. Throws `DecodeError` for any other bytes. */
export function jsonOfFrame(frame: Uint8Array): Uint8Array {
  return encoder.encode(JSON.stringify(decodeFrame(frame)));
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // Its message would quote the text.
    throw new DecodeError('text is not JSON in UTF-8');
  }
}

/** `depth`: how many containers may still open. */
function checked(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'number':
      return checkedNumber(value);
    case 'string':
      return checkedText(value);
    case 'object':
      if (value === null) return null;
      if (depth === 0) throw new DecodeError(`nested deeper than ${MAX_DEPTH}`);
      return Array.isArray(value) ? value.map((element) => checked(element, depth - 1)) : checkedMap(value, depth - 1);
    default:
      return value;
  }
}

function checkedMap(value: object, depth: number): Record<string, unknown> {
  // Without a prototype, a key such as __proto__ is a key like any other.
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, element] of Object.entries(value)) map[checkedText(key)] = checked(element, depth);
  return map;
}

/** JSON has no limit of its own: 1e999 is infinity here. */
function checkedNumber(value: number): number {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new DecodeError('a number beyond 2^53-1');
  return value === 0 ? 0 : value;
}

/** Escapes can write half a surrogate pair, which UTF-8 cannot. */
function checkedText(value: string): string {
  if (!value.isWellFormed()) throw new DecodeError('text with half a surrogate pair');
  return value;
}
