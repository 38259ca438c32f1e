import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadFrameError, readClientFrame } from '../../src/wire/client-frames.js';
import { DecodeError, decodeFrame } from '../../src/wire/decode.js';
import { encodeFrame, encodeValue } from '../../src/wire/encode.js';
import { decodeJson, jsonOfFrame } from '../../src/wire/json.js';

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function read(text: string): unknown {
  return decodeJson(bytes(text));
}

function refusalOf(text: string | Uint8Array): BadFrameError {
  try {
    readClientFrame(typeof text === 'string' ? bytes(text) : text, decodeJson);
  } catch (error) {
    if (error instanceof BadFrameError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('decodeJson', () => {
  it('reads what msgpack reads, to the same value', () => {
    const leaf = fc.oneof(
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }),
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.constantFrom(null, true, false, -0),
    );
    const value = fc.oneof(leaf, fc.array(fc.oneof(leaf, fc.array(leaf))));
    fc.assert(
      fc.property(value, (sent) => {
        expect(read(JSON.stringify(sent))).toEqual(decodeFrame(encodeValue(sent)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads frames of clients through the same checks', () => {
    expect(readClientFrame(bytes('[16, 1, 1, "arena", [10]]'), decodeJson)).toEqual([
      16,
      1,
      1,
      'arena',
      [10],
      null,
      null,
    ]);
    expect(readClientFrame(bytes('[99]'), decodeJson)).toEqual(['unknown', 99]);
    expect(refusalOf('[16, 0, 1, "arena", []]').reason).toBe('bad frame: reqId of SUBSCRIBE must not be 0');
    expect(refusalOf('{"0": 3}').reason).toBe('bad frame: a frame is an array');
  });

  it.each([
    '',
    ' ',
    '[3',
    '[3]]',
    '[3] [3]',
    '[03]',
    "['a']",
    '[NaN]',
    '[undefined]',
    '[3,]',
    '\uFEFF[3]',
    '[3]//',
    '["\n"]',
  ])('refuses what is not one value of JSON: %j', (text) => expect(() => read(text)).toThrow(DecodeError));

  it('refuses bytes that are not UTF-8', () => {
    expect(() => decodeJson(new Uint8Array([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toThrow(DecodeError);
  });

  it.each(['1e999', '-1e999', '9007199254740992', '-9007199254740993', '1e16', '99999999999999999999999999'])(
    'refuses the number %s, wherever it stands',
    (number) => {
      for (const text of [number, `[3, ${number}]`, `[99, [{"a": ${number}}]]`]) {
        expect(() => read(text)).toThrow(DecodeError);
      }
    },
  );

  it('takes minus zero for zero', () => {
    expect(Object.is((read('[-0]') as number[])[0], 0)).toBe(true);
  });

  it.each(['"\\ud800"', '["a\\udc00"]', '{"\\ud83d": 1}', '["\\ude00\\ud83d"]'])(
    'refuses half a surrogate pair: %s',
    (text) => {
      expect(() => read(text)).toThrow(DecodeError);
    },
  );

  it('takes whole surrogate pairs, escaped or not', () => {
    expect(read('["\\ud83d\\ude00", "😀"]')).toEqual(['😀', '😀']);
  });

  it('takes 8 containers inside each other and no more', () => {
    expect(read(`${'['.repeat(8)}${']'.repeat(8)}`)).toEqual([[[[[[[[]]]]]]]]);
    for (const open of ['[', '{"a":']) {
      const close = open === '[' ? ']' : '}';
      expect(() => read(`${open.repeat(9)}1${close.repeat(9)}`)).toThrow(DecodeError);
    }
    expect(refusalOf(`${'['.repeat(2_048)}${']'.repeat(2_048)}`).closeCode).toBe(4_400);
  });

  it('keeps keys that mean something to JavaScript as keys like any other', () => {
    const map = read('{"__proto__": {"polluted": 1}, "constructor": 2, "a": 1, "a": 3}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(map)).toBeNull();
    expect(Object.keys(map).sort()).toEqual(['__proto__', 'a', 'constructor']);
    expect(map['a']).toBe(3);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('closes above the limit of bytes with 1009, before anything is parsed', () => {
    expect(refusalOf(`[3,${' '.repeat(4_092)}1]`).closeCode).toBe(1_009);
    expect(readClientFrame(bytes(`[3,${' '.repeat(4_091)}1]`), decodeJson)).toEqual([3, 1]);
  });

  it('quotes nothing of the input', () => {
    for (const text of ['[secret', '["secret\\ud800"]', '["secret"]', '[1, ["secret"], "c", 1]', '{"secret": 1e99}']) {
      expect(refusalOf(text).reason).not.toContain('secret');
    }
  });
});

describe('jsonOfFrame', () => {
  it('is at most six times as long as the frame', () => {
    const leaf = fc.oneof(
      fc.nat(127),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, min: -(2 ** 53 - 1), max: 2 ** 53 - 1 }),
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.constantFrom(null, true, false, '\u0001'.repeat(20), []),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(leaf, fc.array(leaf))), (value) => {
        const frame = encodeValue(value);
        // One comma less than elements, and brackets around them.
        expect(jsonOfFrame(frame).byteLength).toBeLessThanOrEqual(6 * frame.byteLength);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the array of the frame as text', () => {
    const text = new TextDecoder().decode(jsonOfFrame(encodeFrame([5, 1, 404, 'no such board "x" 😀', null])));
    expect(text).toBe('[5,1,404,"no such board \\"x\\" 😀",null]');
    const large = encodeFrame([37, 1, 2 ** 32 - 1, 5_000_000_000, null]);
    expect(JSON.parse(new TextDecoder().decode(jsonOfFrame(large)))).toEqual([37, 1, 2 ** 32 - 1, 5_000_000_000, null]);
  });
});
