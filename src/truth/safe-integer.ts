/** PostgreSQL's 64-bit integers arrive as text; here they become exact numbers or an error, column by column. */

const DECIMAL = /^-?\d{1,16}$/;

/** Throws a `RangeError` naming the column where the text is no integer within 2^53-1. */
export function parseSafeInteger(text: string, column: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`${column} holds ${text}, which is no integer between -(2^53-1) and 2^53-1`);
  }
  return value;
}
