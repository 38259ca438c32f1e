/** 64-bit integers of PostgreSQL and Kafka arrive as text; here they become exact numbers, or an error that says where. */

const DECIMAL = /^-?\d{1,16}$/;

/** Throws a `RangeError` naming the place, such as a column, where the text is no integer within 2^53-1. */
export function parseSafeInteger(text: string, place: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${place} holds ${text}, which is no integer between -(2^53-1) and 2^53-1`);
  }
  return value;
}
