import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';
import { encodeFrame } from '../../src/client/encode.js';
import { idParts } from '../../src/client/id-parts.js';

const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 16 });

it('cuts any ids into frames that fit, in order, none of them empty but the only one', () => {
  const list = `arena;s=${'x'.repeat(32)};guild=${'%F0%9F%98%80'.repeat(16)}`;
  fc.assert(
    fc.property(fc.array(id, { maxLength: 400 }), (ids) => {
      const parts = idParts(ids);
      expect(parts.flat()).toEqual(ids);
      expect(parts.every((part) => part.length > 0) || ids.length === 0).toBe(true);
      for (const part of parts) {
        const frame = encodeFrame([16, 2 ** 32 - 1, 5, list, [part], null, null, null, true]);
        expect(frame.byteLength).toBeLessThanOrEqual(MAX_CLIENT_FRAME_BYTES);
      }
    }),
  );
});
