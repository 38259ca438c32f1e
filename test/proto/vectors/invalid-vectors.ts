/** Source of invalid.json: what clients must not send in either subprotocol, and the code with which the server closes that socket. */

import { bytesOf } from './hex.js';

export interface InvalidVector {
  readonly name: string;
  /** The message: each hex text as many times as the number beside it, one after the other. */
  readonly parts: readonly (readonly [hex: string, times: number])[];
  readonly close: 4400 | 1009;
}

export function bytesOfParts(parts: InvalidVector['parts']): Uint8Array {
  const pieces = parts.flatMap(([hex, times]) => new Array<Uint8Array>(times).fill(bytesOf(hex)));
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function bad(name: string, hex: string): InvalidVector {
  return { name, parts: [[hex, 1]], close: 4400 };
}

export const invalidVectors: readonly InvalidVector[] = [
  bad('nothing', ''),
  bad('not an array', 'c0'),
  bad('an empty array', '90'),
  bad('a frame type that is text', '91 a1 61'),
  bad('a frame type below zero', '91 ff'),
  bad('a frame type with a fraction', '91 cb 3ff8000000000000'),
  bad('bytes after the frame', '91 03 c0'),
  bad('two frames in one message', '91 03 91 03'),
  bad('an array that ends too early', '92 03'),
  bad('text that ends too early', '95 10 01 03 a5 6172'),
  bad('an integer that ends too early', '92 03 ce 0000'),
  bad('a float that ends too early', '92 03 cb 00'),
  bad('a length that ends too early', '92 03 d9'),
  bad('code 0xc1', '92 03 c1'),
  bad('bin8', '92 03 c4 01 00'),
  bad('fixext1', '92 03 d4 00 00'),
  bad('a timestamp extension', '92 03 d6 ff 00000000'),
  bad('ext8', '92 03 c7 00 72'),
  bad('the record extension of msgpackr', '92 d4 72 40 91 a1 61 01'),
  bad('NaN', '95 14 07 01 cb 7ff8000000000000 01'),
  bad('infinity', '95 14 07 01 cb 7ff0000000000000 01'),
  bad('NaN as float32', '95 14 07 01 ca 7fc00000 01'),
  bad('2^53 as uint64', '95 14 07 01 cf 0020000000000000 01'),
  bad('2^53 as float64', '95 14 07 01 cb 4340000000000000 01'),
  bad('2^64-1', '95 14 07 01 cf ffffffffffffffff 01'),
  bad('-2^53', '95 14 07 01 d3 ffe0000000000000 01'),
  bad('-2^63', '95 14 07 01 d3 8000000000000000 01'),
  bad('2^32 where a u belongs', '92 03 cf 0000000100000000'),
  bad('-1 where a u belongs', '92 03 ff'),
  bad('text where a u belongs', '92 03 a1 61'),
  bad('text that is not UTF-8', '97 10 01 03 a1 ff 90 c0 c0'),
  bad('text with an encoded surrogate', '97 10 01 03 a3 eda080 90 c0 c0'),
  bad('text with an overlong form', '97 10 01 03 a2 c0af 90 c0 c0'),
  bad('a map key that is a number', '98 10 01 03 a1 61 90 c0 c0 81 01 02'),
  bad('a map in place of a frame', '81 a1 61 01'),
  bad('HELLO without client', '92 01 c0'),
  bad('HELLO with a number for a token', '95 01 05 a1 61 03 c0'),
  bad('SUBSCRIBE without args', '94 10 01 01 a1 61'),
  bad('SUBSCRIBE with nil args', '97 10 01 01 a1 61 c0 c0 c0'),
  bad('SUBSCRIBE with a map for args', '97 10 01 01 a1 61 80 c0 c0'),
  bad('SUBSCRIBE with a number for more', '99 10 01 05 a1 61 90 c0 c0 c0 01'),
  bad('SUBSCRIBE with reqId 0', '97 10 00 01 a1 61 90 c0 c0'),
  bad('UNSUBSCRIBE without topic', '92 12 01'),
  bad('UNSUBSCRIBE with reqId 0', '93 12 00 07'),
  bad('RESYNC without why', '94 14 07 01 2a'),
  bad('REFRESH without token', '92 07 01'),
  bad('REFRESH with nil token', '93 07 01 c0'),
  bad('REFRESH with a number for a token', '93 07 01 05'),
  bad('REFRESH with reqId 0', '93 07 00 a1 61'),
  bad('REFRESH with a reqId that is text', '93 07 a1 61 a1 61'),
  bad('array32 of 2^32-1', 'dd ffffffff'),
  bad('map32 of 2^32-1', 'df ffffffff'),
  bad('bin32 of 2^32-1', 'c6 ffffffff'),
  bad('str32 of 2^32-1', 'db ffffffff'),
  { name: '3 KiB of nested arrays', parts: [['91', 3_072]], close: 4400 },
  {
    name: 'nine levels of arrays',
    parts: [
      ['91', 9],
      ['c0', 1],
    ],
    close: 4400,
  },
  {
    name: 'array16 of 65,535 in each other, below the frame limit',
    parts: [
      ['dc ffff', 1_300],
      ['c0', 100],
    ],
    close: 4400,
  },
  {
    name: '10,000 nested arrays',
    parts: [
      ['91', 10_000],
      ['c0', 1],
    ],
    close: 1009,
  },
  { name: 'array16 of 65,535, 24,000 of them', parts: [['dc ffff', 24_000]], close: 1009 },
  {
    name: 'a well-formed frame above the limit',
    parts: [
      ['dc 1000 03', 1],
      ['c0', 4_095],
    ],
    close: 1009,
  },
];

export interface InvalidJsonVector {
  readonly name: string;
  /** The text message: each text as many times as the number beside it, one after the other. */
  readonly parts: readonly (readonly [text: string, times: number])[];
  readonly close: 4400 | 1009;
}

function badText(name: string, text: string): InvalidJsonVector {
  return { name, parts: [[text, 1]], close: 4400 };
}

export const invalidJsonVectors: readonly InvalidJsonVector[] = [
  badText('nothing', ''),
  badText('text that is no JSON', '[3'),
  badText('an object in place of a frame', '{"type":3}'),
  badText('an empty array', '[]'),
  badText('two frames in one message', '[3][3]'),
  badText('a comment', '[3] // PING'),
  badText('a leading U+FEFF', '\uFEFF[3]'),
  badText('NaN', '[20,7,1,NaN,1]'),
  badText('a number beyond what a double holds', '[20,7,1,1e999,1]'),
  badText('2^53', '[20,7,1,9007199254740992,1]'),
  badText('a fraction where a u belongs', '[3,1.5]'),
  badText('half a surrogate pair', '[16,1,3,"\\ud800",[],null,null]'),
  badText('REFRESH with nil token', '[7,1,null]'),
  {
    name: 'nine levels of arrays',
    parts: [
      ['[', 9],
      [']', 9],
    ],
    close: 4400,
  },
  {
    name: 'a well-formed frame above the limit',
    parts: [
      ['[3', 1],
      [',null', 900],
      [']', 1],
    ],
    close: 1009,
  },
];
