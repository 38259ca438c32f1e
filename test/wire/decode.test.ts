import { readFileSync } from 'node:fs';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { DecodeError, decodeFrame } from '../../src/wire/decode.js';
import { bytesOf } from '../proto/vectors/hex.js';
import { bytesOfParts } from '../proto/vectors/invalid-vectors.js';

const packr = new Packr({ useRecords: false, variableMapSize: true });

function reasonOf(bytes: Uint8Array, maxDepth?: number): string {
  try {
    decodeFrame(bytes, maxDepth === undefined ? {} : { maxDepth });
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}

const nested = (levels: number): Uint8Array =>
  bytesOfParts([
    ['91', levels],
    ['c0', 1],
  ]);

describe('decodeFrame', () => {
  it('reads text of every length around the borders of its forms, ASCII or not', () => {
    for (const length of [0, 1, 15, 31, 32, 47, 48, 49, 64, 255, 256, 4_000, 65_536]) {
      for (const letter of ['a', '\u007f', 'é', '玩', '🙂']) {
        const texts = [letter.repeat(length), `${'a'.repeat(length)}${letter}`, `${letter}${'a'.repeat(length)}`];
        expect(decodeFrame(packr.pack(texts))).toEqual(texts);
      }
    }
  });

  it('does not mix up texts that are read one after the other', () => {
    const names = Array.from({ length: 200 }, (_, index) => `player-${index % 7}-${'x'.repeat(index % 40)}`);
    expect(decodeFrame(packr.pack(names))).toEqual(names);
  });

  it('reads a view that does not begin at the start of its memory', () => {
    const packed = packr.pack([20, 70_000, 3_405_691_582, 5_000_000_000, 'Ada']);
    const room = new Uint8Array(packed.length + 13);
    room.set(packed, 5);
    expect(decodeFrame(room.subarray(5, 5 + packed.length))).toEqual([20, 70_000, 3_405_691_582, 5_000_000_000, 'Ada']);
  });

  it('gives values that later writes to the input do not reach', () => {
    const bytes = new Uint8Array(packr.pack(['Ada', 'é']));
    const value = decodeFrame(bytes);
    bytes.fill(0x78);
    expect(value).toEqual(['Ada', 'é']);
  });

  it('takes __proto__ as a key like any other', () => {
    const map = decodeFrame(bytesOf('82 a9 5f5f70726f746f5f5f 81 a5 61646d696e c3 a1 61 01')) as Record<
      string,
      unknown
    >;
    expect(Object.keys(map)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(map)).toBeNull();
    expect(map['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  it('nests to the limit and not beyond, arrays and maps counted together', () => {
    expect(decodeFrame(nested(8))).toEqual([[[[[[[[null]]]]]]]]);
    expect(reasonOf(nested(9))).toBe('nested deeper than 8');
    expect(reasonOf(nested(3), 2)).toBe('nested deeper than 2');
    expect(reasonOf(bytesOf('91 81 a1 61 90'), 2)).toBe('nested deeper than 2');
    expect(decodeFrame(bytesOf('92 91 90 91 90'), { maxDepth: 3 })).toEqual([[[]], [[]]]);
  });

  it('says in a few words what is wrong and quotes nothing', () => {
    expect(reasonOf(bytesOf(''))).toBe('ends too early');
    expect(reasonOf(bytesOf('92 03'))).toBe('a length beyond the end');
    expect(reasonOf(bytesOf('a5 61'))).toBe('a length beyond the end');
    expect(reasonOf(bytesOf('03 03'))).toBe('bytes after the end of the value');
    expect(reasonOf(bytesOf('c4 01 00'))).toBe('binary is not allowed');
    expect(reasonOf(bytesOf('d4 72 40'))).toBe('extensions are not allowed');
    expect(reasonOf(bytesOf('a1 ff'))).toBe('text is not UTF-8');
    expect(reasonOf(bytesOf('81 01 02'))).toBe('a map key is not text');
  });
});

describe('nesting and length bombs (case A19)', () => {
  const bombs: readonly (readonly [name: string, bytes: Uint8Array])[] = [
    ['10,000 nested arrays', nested(10_000)],
    ['array32 of 2^32-1', bytesOf('dd ffffffff')],
    ['map32 of 2^32-1', bytesOf('df ffffffff')],
    ['bin32 of 2^32-1', bytesOf('c6 ffffffff')],
    ['str32 of 2^32-1', bytesOf('db ffffffff')],
    ['24,000 array16 of 65,535', bytesOfParts([['dc ffff', 24_000]])],
    [
      'array16 of 65,535 with just enough bytes behind',
      bytesOfParts([
        ['dc ffff', 7],
        ['c0', 65_535],
      ]),
    ],
    ['3 KiB of nested arrays', bytesOfParts([['91', 3_072]])],
    ['nested maps', bytesOfParts([['81 a1 61', 1_000]])],
  ];

  it.each(bombs)('refuses %s without using memory for it', (_, bytes) => {
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    const before = used();
    expect(() => decodeFrame(bytes)).toThrow(DecodeError);
    expect(used() - before).toBeLessThan(5_000_000);
  });
});

describe('what the SDK takes from here', () => {
  it.each(['src/wire/decode.ts', 'proto/frames.ts', 'proto/id-order.ts', 'proto/close-codes.ts'])(
    '%s runs in a browser under a strict content policy',
    (path) => {
      const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
      expect(source).not.toMatch(/from '(?!\.)|import\(|\bBuffer\b|\bprocess\.|\beval\(|new Function/);
    },
  );
});
