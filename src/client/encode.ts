/** Client frames to msgpack. Our own few lines, because msgpackr is 12 kB gzip and these frames need six kinds of value. */

const text = new TextEncoder();

/**
 * Writes nil, booleans, numbers, text and arrays of them. Integers of 0 to 2^32-1 take the shortest unsigned form,
 * all other numbers float64. Throws a `TypeError` for anything else; frames are written by the SDK, so that is a defect.
 */
export function encodeFrame(frame: readonly unknown[]): Uint8Array {
  const bytes: number[] = [];
  writeValue(bytes, frame);
  return Uint8Array.from(bytes);
}

function writeValue(bytes: number[], value: unknown): void {
  if (value === null || value === undefined) bytes.push(0xc0);
  else if (typeof value === 'boolean') bytes.push(value ? 0xc3 : 0xc2);
  else if (typeof value === 'number') writeNumber(bytes, value);
  else if (typeof value === 'string') writeText(bytes, value);
  else if (Array.isArray(value)) writeArray(bytes, value);
  else throw new TypeError(`a client frame cannot carry a ${typeof value}`);
}

function writeNumber(bytes: number[], value: number): void {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) return writeFloat(bytes, value);
  if (value < 0x80) bytes.push(value);
  else writeLength(bytes, value, 0xcc);
}

function writeFloat(bytes: number[], value: number): void {
  if (!Number.isFinite(value)) throw new TypeError('a client frame cannot carry NaN or an infinity');
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  bytes.push(0xcb, ...new Uint8Array(view.buffer));
}

function writeText(bytes: number[], value: string): void {
  const utf8 = text.encode(value);
  if (utf8.length < 32) bytes.push(0xa0 | utf8.length);
  else writeLength(bytes, utf8.length, 0xd9);
  for (const byte of utf8) bytes.push(byte);
}

function writeArray(bytes: number[], values: readonly unknown[]): void {
  if (values.length < 16) bytes.push(0x90 | values.length);
  // 0xdc is the 16-bit form; arrays have no 8-bit one.
  else if (values.length < 0x1_0000) bytes.push(0xdc, values.length >>> 8, values.length & 0xff);
  else throw new TypeError('a client frame cannot carry 65,536 values in one array');
  for (const value of values) writeValue(bytes, value);
}

/** An unsigned integer behind `code8`, or behind the next two codes where it needs 16 or 32 bits. */
function writeLength(bytes: number[], value: number, code8: number): void {
  if (value < 0x100) bytes.push(code8, value);
  else if (value < 0x1_0000) bytes.push(code8 + 1, value >>> 8, value & 0xff);
  else bytes.push(code8 + 2, value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}
