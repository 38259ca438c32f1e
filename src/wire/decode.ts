/** Strict msgpack reader for the protocol's subset: client bytes on the server, server bytes in the SDK, browsers included. */

/** Containers inside containers; a BATCH of SNAPSHOTs of entries with a map takes 6. */
export const MAX_DEPTH = 8;

export interface DecodeLimits {
  /** How deep arrays and maps may nest: 1 is an array of scalars. Default `MAX_DEPTH`. */
  readonly maxDepth?: number;
}

/**
 * The bytes are not one value of the subset. The message is short and quotes nothing of the input.
 * Not a RankcastError, because this file also runs in browsers and wire imports proto only.
 */
export class DecodeError extends Error {
  readonly isRetryable = false;
  override get name(): string {
    return 'DecodeError';
  }
}

/**
 * Reads exactly one value: nil, booleans, numbers, text, arrays, and maps with text keys (objects without a prototype).
 * Numbers come in any msgpack form and leave as JavaScript numbers of magnitude at most 2^53-1; -0 becomes 0.
 * Throws `DecodeError` for everything else: ext, bin, NaN, infinities, larger numbers, broken UTF-8, more nesting than
 * allowed, lengths beyond the input, bytes left over. Memory stays in proportion to the input, whatever it declares.
 * The value keeps no reference to `bytes`.
 */
export function decodeFrame(bytes: Uint8Array, limits?: DecodeLimits): unknown {
  return new Reader(bytes, limits?.maxDepth ?? MAX_DEPTH).readWhole();
}

/** Up to here a loop over bytes beats the call into TextDecoder. */
const SHORT_TEXT_BYTES = 48;

/** Scratch for `readAscii`, one array for each length, so that reading a text allocates nothing but the text. */
const codesByLength = Array.from({ length: SHORT_TEXT_BYTES + 1 }, (_, length) => new Array<number>(length).fill(0));

// ignoreBOM: without it an id that begins with U+FEFF would arrive as another id.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

class Reader {
  private position = 0;
  private depth = 0;
  private numbers: DataView | undefined;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly maxDepth: number,
  ) {}

  readWhole(): unknown {
    const value = this.readValue();
    if (this.position !== this.bytes.length) throw new DecodeError('bytes after the end of the value');
    return value;
  }

  private readValue(): unknown {
    const code = this.bytes[this.position];
    if (code === undefined) throw new DecodeError('ends too early');
    this.position += 1;
    if (code < 0x80) return code;
    if (code < 0x90) return this.readMap(code & 0x0f);
    if (code < 0xa0) return this.readArray(code & 0x0f);
    if (code < 0xc0) return this.readText(code & 0x1f);
    if (code >= 0xe0) return code - 0x100;
    return this.readTagged(code);
  }

  private readTagged(code: number): unknown {
    switch (code) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xca:
        return checkedFloat(this.view().getFloat32(this.take(4)));
      case 0xcb:
        return checkedFloat(this.view().getFloat64(this.take(8)));
      case 0xcc:
        return this.readUint8();
      case 0xcd:
        return this.readUint16();
      case 0xce:
        return this.readUint32();
      case 0xcf:
        return this.readLong(this.readUint32());
      case 0xd0:
        return this.view().getInt8(this.take(1));
      case 0xd1:
        return this.view().getInt16(this.take(2));
      case 0xd2:
        return this.view().getInt32(this.take(4));
      case 0xd3:
        return this.readLong(this.view().getInt32(this.take(4)));
      case 0xd9:
        return this.readText(this.readUint8());
      case 0xda:
        return this.readText(this.readUint16());
      case 0xdb:
        return this.readText(this.readUint32());
      case 0xdc:
        return this.readArray(this.readUint16());
      case 0xdd:
        return this.readArray(this.readUint32());
      case 0xde:
        return this.readMap(this.readUint16());
      case 0xdf:
        return this.readMap(this.readUint32());
      case 0xc4:
      case 0xc5:
      case 0xc6:
        throw new DecodeError('binary is not allowed');
      case 0xc1:
        throw new DecodeError('code 0xc1 is not msgpack');
      default:
        throw new DecodeError('extensions are not allowed');
    }
  }

  private readArray(length: number): unknown[] {
    this.enter(length);
    // Not `new Array(length)`: nested headers could each claim the rest of the frame and allocate it many times over.
    const values: unknown[] = [];
    for (let index = 0; index < length; index += 1) values.push(this.readValue());
    this.depth -= 1;
    return values;
  }

  private readMap(length: number): Record<string, unknown> {
    this.enter(length * 2);
    // Without a prototype, a key such as __proto__ is a key like any other.
    const map: Record<string, unknown> = Object.create(null);
    for (let index = 0; index < length; index += 1) {
      const key = this.readValue();
      if (typeof key !== 'string') throw new DecodeError('a map key is not text');
      map[key] = this.readValue();
    }
    this.depth -= 1;
    return map;
  }

  /** Each value takes a byte at least, so a container that declares more values than bytes are left is refused at once. */
  private enter(valueCount: number): void {
    if (valueCount > this.bytes.length - this.position) throw new DecodeError('a length beyond the end');
    this.depth += 1;
    if (this.depth > this.maxDepth) throw new DecodeError(`nested deeper than ${this.maxDepth}`);
  }

  private readText(length: number): string {
    const start = this.take(length);
    if (length > SHORT_TEXT_BYTES) return decodeUtf8(this.bytes.subarray(start, start + length));
    return readAscii(this.bytes, start, length) ?? decodeUtf8(this.bytes.subarray(start, start + length));
  }

  private readUint8(): number {
    return this.bytes[this.take(1)] ?? 0;
  }

  private readUint16(): number {
    return this.view().getUint16(this.take(2));
  }

  private readUint32(): number {
    return this.view().getUint32(this.take(4));
  }

  /** Two halves of a 64-bit integer. Sums beyond 2^53 round, but never back into the safe range. */
  private readLong(high: number): number {
    const value = high * 0x1_0000_0000 + this.readUint32();
    if (!Number.isSafeInteger(value)) throw new DecodeError('an integer beyond 2^53-1');
    return value;
  }

  private take(length: number): number {
    const start = this.position;
    if (length > this.bytes.length - start) throw new DecodeError('a length beyond the end');
    this.position = start + length;
    return start;
  }

  private view(): DataView {
    this.numbers ??= new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    return this.numbers;
  }
}

function checkedFloat(value: number): number {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new DecodeError('a number that is not finite or beyond 2^53-1');
  return value === 0 ? 0 : value;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new DecodeError('text is not UTF-8');
  }
}

/** `undefined` where a byte is not ASCII. One call with all the codes makes a flat string; `+=` would make a rope. */
function readAscii(bytes: Uint8Array, start: number, length: number): string | undefined {
  const codes = codesByLength[length] ?? [];
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[start + index] ?? 0xff;
    if (byte >= 0x80) return undefined;
    codes[index] = byte;
  }
  return String.fromCharCode.apply(null, codes);
}
