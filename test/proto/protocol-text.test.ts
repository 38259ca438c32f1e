import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CloseCode, retryAfterClose } from '../../proto/close-codes.js';
import {
  Capability,
  ErrorCode,
  FrameType,
  GoawayReason,
  JSON_SUBPROTOCOL,
  MAX_CLIENT_FRAME_BYTES,
  MAX_SERVER_FRAME_BYTES,
  ResyncWhy,
  SUBPROTOCOL,
  SubscribeStart,
  WindowKind,
} from '../../proto/frames.js';
import { clientFrameSchema, serverFrameSchema } from '../../proto/schema.js';
import { isRetryableCode } from '../../src/client/errors.js';
import { settings } from '../../src/config/settings.js';
import { decodeFrame, MAX_DEPTH } from '../../src/wire/decode.js';
import { frameCatalogue } from './generated/frame-catalogue.js';
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

const defaultOf = (name: keyof typeof settings): string => String(settings[name].parse(undefined));

interface ShownFrame {
  readonly from: 'client' | 'server';
  readonly frame: readonly unknown[];
}

/** Frames of the examples that are written out; those with dots for what was left out are not. */
function shownFrames(): ShownFrame[] {
  const walks = text.slice(text.indexOf('\n## 11.'), text.indexOf('\n## 12.'));
  const lines = [...walks.matchAll(/^(>| ) (.*)$/gm)].map(([, mark, line = '']) => ({ mark, line: line.trimStart() }));
  const inWalks = lines.flatMap(({ mark, line }) => readFrame(mark === '>' ? 'client' : 'server', line));
  const changes = tableUnder('15. Changes').map((row) => row[2] ?? '');
  const inChanges = changes.flatMap((cell) => {
    return [...cell.matchAll(/`(\[.*?\])`/g)].flatMap(([, frame = '']) => {
      return readFrame(/^\[(1|7|16|18|20),/.test(frame) ? 'client' : 'server', frame);
    });
  });
  return [...inWalks, ...inChanges];
}

/** The array at the beginning of a line; a comment may stand behind it. */
function readFrame(from: ShownFrame['from'], line: string): ShownFrame[] {
  const ends = [...line.matchAll(/\]/g)].map((match) => match.index + 1);
  for (const end of line.startsWith('[') ? ends : []) {
    try {
      return [{ from, frame: JSON.parse(line.slice(0, end)) as unknown[] }];
    } catch {
      // An inner bracket, or dots.
    }
  }
  return [];
}

describe('PROTOCOL.md', () => {
  it('lists the frames of this version by their numbers', () => {
    const numbered = tableUnder('6. Frames').filter(([number]) => /^\d+$/.test(number ?? ''));
    const rows = numbered.map(([number, name]) => [name?.toLowerCase(), Number(number)]);
    expect(Object.fromEntries(rows)).toEqual(FrameType);
  });

  it('gives each frame the sender and the fields of the generated documents', () => {
    const rows = tableUnder('6. Frames').filter(([number]) => /^\d+$/.test(number ?? ''));
    const told = rows.map(([, name = '', direction, fields]) => [name.toLowerCase(), { direction, fields }]);
    const expected = Object.entries(frameCatalogue).map(([name, { direction, fields }]) => [
      name,
      { direction, fields },
    ]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(expected));
  });

  it('says who may send each frame of this version', () => {
    const rows = tableUnder('6. Frames').filter(([number]) => !/^\d+$/.test(number ?? ''));
    const named = rows.slice(2).flatMap(([names = '']) => names.split(', ').map((name) => name.toLowerCase()));
    expect([...new Set(named)].sort()).toEqual(Object.keys(FrameType).sort());
  });

  it('lists the window kinds', () => {
    const rows = tableUnder('7.1 Kinds').map(([kind, name]) => [name, Number(kind)]);
    expect(Object.fromEntries(rows)).toEqual(WindowKind);
  });

  it('lists the error codes, and whether to retry', () => {
    expect(tableUnder('8. Errors').map(([code, , retry]) => [Number(code), retry !== 'no'])).toEqual(
      Object.values(ErrorCode).map((code) => [code, isRetryableCode(code)]),
    );
  });

  it.each([
    ['caps', Capability, /^- `caps`: sum of .*$/m],
    ['starts', SubscribeStart, /^- `start`: 0 [^.]*/m],
    ['whys', ResyncWhy, /`why`: 1 gap, 2 checksum/],
    ['reasons', GoawayReason, /`reason`: 1 .* 2 .* 3 /],
  ])('names the %s', (_, values, sentence) => {
    const found = sentence.exec(text)?.[0] ?? '';
    for (const value of Object.values(values)) expect(found).toMatch(new RegExp(`\\b${value}\\b`));
  });

  it('gives each close code the retry answer of the code', () => {
    const rows = tableUnder('9. Close codes');
    expect(rows.map(([code, , retry]) => [Number(code), retry])).toEqual(
      rows.map(([code]) => [Number(code), retryAfterClose(Number(code))]),
    );
    const named = Object.fromEntries(rows.map(([code, name]) => [Number(code), name]));
    for (const [name, code] of Object.entries(CloseCode)) {
      expect(named[code]?.toLowerCase().replaceAll(' ', '')).toBe(name.toLowerCase());
    }
  });

  it('states the limits and the subprotocol of the code', () => {
    const limits = Object.fromEntries(tableUnder('10. Limits').map(([name, value]) => [name, value]));
    expect(limits).toMatchObject({
      'bytes of a client frame': String(MAX_CLIENT_FRAME_BYTES),
      'bytes of a server frame': String(MAX_SERVER_FRAME_BYTES),
      'nesting of arrays and maps': String(MAX_DEPTH),
      'client frames in 10 s': defaultOf('LIMIT_FRAMES'),
      'bytes of them in 10 s': defaultOf('LIMIT_BYTES'),
      'topics of a session': defaultOf('LIMIT_TOPICS'),
      'sessions of a player': defaultOf('LIMIT_SESSIONS_PER_PLAYER'),
      'sessions of an overlay key': String(10 * Number(defaultOf('LIMIT_SESSIONS_PER_PLAYER'))),
      'sockets of an address': defaultOf('LIMIT_SOCKETS_PER_ADDRESS'),
      'new ones of it in 10 s': defaultOf('LIMIT_CONNECTS_PER_ADDRESS'),
      'sockets of a server': defaultOf('LIMIT_SOCKETS'),
      'new ones of it in 1 s': defaultOf('LIMIT_CONNECTS'),
    });
    for (const subprotocol of [SUBPROTOCOL, JSON_SUBPROTOCOL]) expect(text).toContain(`\`${subprotocol}\``);
  });

  it('states how long a session lives after the end of its token, and how many a player may have', () => {
    expect(text).toContain(`exp + grace (${defaultOf('TOKEN_GRACE_SEC')} s by default)`);
    expect(text).toContain(`as the server allows (${defaultOf('LIMIT_SESSIONS_PER_PLAYER')} by default)`);
  });

  it('shows frames in their shape in each walk-through and in the table of changes', () => {
    const frames = shownFrames();
    const types = new Set(frames.map(({ frame }) => frame[0]));
    expect(frames.length).toBeGreaterThanOrEqual(25);
    for (const name of ['hello', 'welcome', 'refresh', 'refreshed', 'goaway', 'subscribe', 'resync', 'sync'] as const) {
      expect(types, name).toContain(FrameType[name]);
    }
    for (const { from, frame } of frames) {
      const schema = from === 'client' ? clientFrameSchema : serverFrameSchema;
      expect(schema.safeParse(frame).error, JSON.stringify(frame)).toBeUndefined();
    }
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
