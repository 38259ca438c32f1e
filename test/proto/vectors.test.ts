import { describe, expect, it } from 'vitest';
import { windowCheck } from '../../proto/check.js';
import { FrameType } from '../../proto/frames.js';
import { batchSchema, clientFrameSchema, serverFrameSchema } from '../../proto/schema.js';
import { BadFrameError, readClientFrame } from '../../src/wire/client-frames.js';
import { decodeFrame } from '../../src/wire/decode.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { decodeJson } from '../../src/wire/json.js';
import { ReferenceFold } from './reference-fold.js';
import { applyVectors } from './vectors/apply-vectors.js';
import { checkVectors } from './vectors/check-vectors.js';
import { decodeVectors, unknownVectors } from './vectors/decode-vectors.js';
import { encodeVectors } from './vectors/encode-vectors.js';
import { bytesOf, hexOf } from './vectors/hex.js';
import { bytesOfParts, invalidJsonVectors, invalidVectors } from './vectors/invalid-vectors.js';

describe('vector files', () => {
  it('encode.json has each frame type of this version', () => {
    const types = new Set<number>(encodeVectors.map((vector) => vector.json[0]));
    expect([...types].sort((a, b) => a - b)).toEqual(Object.values(FrameType).sort((a, b) => a - b));
  });
});

describe('encode.json', () => {
  it.each(encodeVectors)('$dir: $name', ({ dir, json, hex }) => {
    expect(decodeFrame(bytesOf(hex))).toEqual(json);
    expect(hexOf(encodeFrame(json))).toBe(hex);
    if (dir === 'client') {
      expect(clientFrameSchema.safeParse(json).success).toBe(true);
      expect(readClientFrame(bytesOf(hex))).toEqual(json);
    } else {
      const schema = json[0] === FrameType.batch ? batchSchema : serverFrameSchema;
      expect(schema.safeParse(json).error).toBeUndefined();
    }
  });
});

describe('decode.json', () => {
  const forms = decodeVectors.flatMap(({ name, dir, frame, forms: all }) =>
    all.map(({ form, hex }) => ({ name, dir, frame, form, hex })),
  );

  it.each(forms)('$dir: $name: $form', ({ dir, frame, hex }) => {
    const decoded = decodeFrame(bytesOf(hex)) as unknown[];
    expect(frame.map((_, index) => decoded[index] ?? null)).toEqual(frame);
    if (dir === 'client') expect(readClientFrame(bytesOf(hex))).toEqual(frame);
  });

  it.each(unknownVectors)('$dir: $name', ({ dir, hex, expect: expected }) => {
    const decoded = decodeFrame(bytesOf(hex)) as unknown[];
    if (dir === 'server') {
      expect(expected).toBe('skip');
      expect(Object.values(FrameType)).not.toContain(decoded[0]);
    } else {
      expect(expected).toBe('error-400');
      expect(readClientFrame(bytesOf(hex))).toEqual(['unknown', decoded[0]]);
    }
  });
});

describe('invalid.json', () => {
  const refused = [
    ...invalidVectors.map(({ name, parts, close }) => ({
      name,
      bytes: bytesOfParts(parts),
      decode: decodeFrame,
      close,
    })),
    ...invalidJsonVectors.map(({ name, parts, close }) => ({
      name: `as JSON: ${name}`,
      bytes: new TextEncoder().encode(parts.map(([text, times]) => text.repeat(times)).join('')),
      decode: decodeJson,
      close,
    })),
  ];

  it.each(refused)('refuses $name', ({ bytes, decode, close }) => {
    let thrown: unknown;
    try {
      readClientFrame(bytes, decode);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(BadFrameError);
    const { closeCode, reason } = thrown as BadFrameError;
    expect(closeCode).toBe(close);
    expect(new TextEncoder().encode(reason).length).toBeLessThan(123);
  });
});

describe('apply.json', () => {
  it.each(applyVectors)('$window: $name', ({ window, frames, expect: expected }) => {
    const fold = new ReferenceFold(window);
    for (const frame of frames) {
      expect(serverFrameSchema.safeParse(frame).error).toBeUndefined();
      fold.apply(frame);
    }
    expect(fold.rows.map(({ playerId, score, rank }) => [playerId, score, rank])).toEqual(expected.entries);
    expect(fold.resyncs).toBe(expected.resyncs);
  });
});

describe('check.json', () => {
  it.each(checkVectors)('$name', ({ rows, check }) => {
    const shown = rows.map(([ref, score, ...ranks]) => {
      const [rank] = ranks;
      return rank === undefined ? { ref, score } : { ref, score, rank };
    });
    expect(windowCheck(shown)).toBe(check);
  });
});
