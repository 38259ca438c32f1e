import { describe, expect, it } from 'vitest';
import type { ErrorFrame, WelcomeFrame } from '../../proto/frames.js';
import { decodeFrame } from '../../src/wire/decode.js';
import { EncodeError, encodeFrame, encodeValue } from '../../src/wire/encode.js';
import { hexOf } from '../proto/vectors/hex.js';

const welcome = (playerId: string): WelcomeFrame => {
  return [2, `session-of-${playerId}`, 1_791_828_201_417, 25_000, null, playerId, [32, 4_096, 30, 65_536], 3, '0.1.0'];
};

describe('encodeFrame', () => {
  it('gives bytes that hold one frame and share no memory with another (case A20)', () => {
    const first = encodeFrame(welcome('pl-1'));
    const second = encodeFrame(welcome('pl-2'));
    expect(first.buffer).not.toBe(second.buffer);
    expect(first.buffer.byteLength).toBe(first.byteLength);
    expect(first.byteLength).toBe(second.byteLength);
    expect(Buffer.from(first.buffer).includes('pl-2')).toBe(false);
    expect(decodeFrame(first)).toEqual(welcome('pl-1'));
  });

  it('keeps queued frames as they were while thousands of others are encoded', () => {
    const queued = Array.from({ length: 3_000 }, (_, index) => encodeFrame(welcome(`pl-${index}`)));
    queued.forEach((bytes, index) => {
      expect(decodeFrame(bytes)).toEqual(welcome(`pl-${index}`));
    });
  });

  it('does not give a Buffer, whose pool would stay alive with it', () => {
    expect(Object.getPrototypeOf(encodeFrame([3]))).toBe(Uint8Array.prototype);
    expect(hexOf(encodeFrame([3]))).toBe('9103');
  });

  it('sends text with an unpaired surrogate so that a strict reader still reads the frame', () => {
    for (const length of [1, 40, 300]) {
      const frame: ErrorFrame = [5, 1, 404, `${'x'.repeat(length)}\ud83d`, null];
      expect(decodeFrame(encodeFrame(frame))).toEqual([5, 1, 404, `${'x'.repeat(length)}\ufffd`, null]);
    }
  });

  it('sends undefined as nil', () => {
    expect(decodeFrame(encodeValue([1, undefined]))).toEqual([1, null]);
  });

  it.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['2^53', 2 ** 53],
    ['-2^53', -(2 ** 53)],
    ['a bigint', 1n],
    ['bytes', new Uint8Array(2)],
    ['a map', { a: 1 }],
    ['a date', new Date(0)],
  ])('refuses %s', (_, value) => {
    expect(() => encodeValue([33, [value]])).toThrow(EncodeError);
    expect(() => encodeValue(['\ud83d', value])).toThrow(EncodeError);
  });
});
