/** The msgpack writer: the only place of the wire that uses msgpackr. */

import { Packr } from 'msgpackr';
import type { BatchFrame, ClientFrame, ServerFrame } from '../../proto/frames.js';

/** A value that the protocol cannot carry, such as NaN: a defect of the caller, not of any input. */
export class EncodeError extends Error {
  readonly isRetryable = false;
  override get name(): string {
    return 'EncodeError';
  }
}

// Records off: they are a private extension. Undefined as nil: it would be extension 0. Integers of 2^32 and more
// leave as float64, which the protocol allows for `n`.
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });

/**
 * One frame as bytes of their own, which nothing will overwrite and which keep nothing else alive.
 * Text with unpaired surrogates leaves with U+FFFD in their place. Throws `EncodeError` for numbers that are not
 * finite or beyond 2^53-1, and for values other than nil, booleans, numbers, text and arrays.
 */
export function encodeFrame(frame: ServerFrame | BatchFrame | ClientFrame): Uint8Array {
  return encodeValue(frame);
}

/** As `encodeFrame`, for any value of the subset. */
export function encodeValue(value: unknown): Uint8Array {
  const packed = packr.pack(isClean(value) ? value : repaired(value));
  // msgpackr answers with a view into a pool of 8 KiB that all its users share.
  return new Uint8Array(packed);
}

/** False where some text needs repair: a strict reader refuses the whole frame for one broken name in it. */
function isClean(value: unknown): boolean {
  switch (typeof value) {
    case 'number':
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
      throw new EncodeError(`cannot send the number ${value}: the protocol has finite ones up to 2^53-1`);
    case 'string':
      return value.isWellFormed();
    case 'boolean':
    case 'undefined':
      return true;
    default:
      if (value === null) return true;
      if (Array.isArray(value)) return areClean(value);
      throw new EncodeError(
        `cannot send a value of type ${typeof value}: frames hold nil, booleans, numbers, text, arrays`,
      );
  }
}

/** Looks at all of them, so that a bad number behind a broken text is found as well. */
function areClean(values: readonly unknown[]): boolean {
  let clean = true;
  for (const value of values) clean = isClean(value) && clean;
  return clean;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  return Array.isArray(value) ? value.map(repaired) : value;
}
