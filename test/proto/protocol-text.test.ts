import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CloseCode, retryAfterClose } from '../../proto/close-codes.js';
import {
  ErrorCode,
  FrameType,
  MAX_CLIENT_FRAME_BYTES,
  MAX_SERVER_FRAME_BYTES,
  SUBPROTOCOL,
  WindowKind,
} from '../../proto/frames.js';
import { CLOCK_TOLERANCE_SEC } from '../../src/ops/player-tokens.js';
import { decodeFrame, MAX_DEPTH } from '../../src/wire/decode.js';
import { bytesOf } from './vectors/hex.js';

const text = readFileSync(new URL('../../proto/PROTOCOL.md', import.meta.url), 'utf8');

/** The cells of each row of the table under a heading. */
function tableUnder(heading: string): string[][] {
  const section = text.split(/^#{2,3} /m).find((part) => part.startsWith(heading));
  if (section === undefined) throw new Error(`PROTOCOL.md has no section "${heading}"`);
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const numbersIn = (heading: string, column = 0): number[] => tableUnder(heading).map((row) => Number(row[column]));

describe('PROTOCOL.md', () => {
  it('lists the frames of this version by their numbers', () => {
    const rows = tableUnder('6. Frames').map(([number, name]) => [name?.toLowerCase(), Number(number)]);
    expect(Object.fromEntries(rows)).toEqual(FrameType);
  });

  it('lists the window kinds', () => {
    const rows = tableUnder('7.1 Kinds').map(([kind, name]) => [name, Number(kind)]);
    expect(Object.fromEntries(rows)).toEqual(WindowKind);
  });

  it('lists the error codes', () => {
    expect(numbersIn('8. Errors')).toEqual(Object.values(ErrorCode));
  });

  it('gives each close code the retry answer of the code', () => {
    const rows = tableUnder('9. Close codes');
    expect(rows.map(([code, , retry]) => [Number(code), retry])).toEqual(
      rows.map(([code]) => [Number(code), retryAfterClose(Number(code))]),
    );
    for (const code of Object.values(CloseCode)) expect(numbersIn('9. Close codes')).toContain(code);
  });

  it('states the limits and the subprotocol of the code', () => {
    const limits = Object.fromEntries(tableUnder('10. Limits').map(([name, value]) => [name, value]));
    expect(limits).toMatchObject({
      'bytes of a client frame': String(MAX_CLIENT_FRAME_BYTES),
      'bytes of a server frame': String(MAX_SERVER_FRAME_BYTES),
      'nesting of arrays and maps': String(MAX_DEPTH),
    });
    expect(text).toContain(`\`${SUBPROTOCOL}\``);
  });

  it('states how long a token counts after its end', () => {
    expect(text).toContain(`A token counts for ${CLOCK_TOLERANCE_SEC} s after its \`exp\``);
  });

  it('shows bytes that decode to the frames beside them', () => {
    const block = /```hex\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const lines = block.trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(7);
    for (const line of lines) {
      const at = line.indexOf('[');
      expect(decodeFrame(bytesOf(line.slice(0, at)))).toEqual(JSON.parse(line.slice(at)));
    }
  });
});
