/** Source of decode.json: byte forms of one frame that other libraries make, each of which a reader must accept. */

interface Form {
  readonly form: string;
  readonly hex: string;
}

export interface DecodeVector {
  readonly name: string;
  readonly dir: 'client' | 'server';
  /** All its fields. */
  readonly frame: readonly unknown[];
  readonly forms: readonly Form[];
}

export interface UnknownVector {
  readonly name: string;
  readonly dir: 'client' | 'server';
  readonly hex: string;
  /** `skip`: a client goes on. `error-400`: the server answers ERROR 400 and goes on. */
  readonly expect: 'skip' | 'error-400';
}

export const decodeVectors: readonly DecodeVector[] = [
  {
    name: 'u in each unsigned form',
    dir: 'client',
    frame: [3, 7],
    forms: [
      { form: 'fixint', hex: '92 03 07' },
      { form: 'uint8', hex: '92 03 cc 07' },
      { form: 'uint16', hex: '92 03 cd 0007' },
      { form: 'uint32', hex: '92 03 ce 00000007' },
      { form: 'uint64', hex: '92 03 cf 0000000000000007' },
      { form: 'the type as uint32', hex: '92 ce 00000003 07' },
    ],
  },
  {
    name: 'n as integer or float',
    dir: 'client',
    frame: [20, 7, 305_419_896, 42, 1],
    forms: [
      { form: 'fixint', hex: '95 14 07 ce 12345678 2a 01' },
      { form: 'int8', hex: '95 14 07 ce 12345678 d0 2a 01' },
      { form: 'int16', hex: '95 14 07 ce 12345678 d1 002a 01' },
      { form: 'int32', hex: '95 14 07 ce 12345678 d2 0000002a 01' },
      { form: 'int64', hex: '95 14 07 ce 12345678 d3 000000000000002a 01' },
      { form: 'uint64', hex: '95 14 07 ce 12345678 cf 000000000000002a 01' },
      { form: 'float32', hex: '95 14 07 ce 12345678 ca 42280000 01' },
      { form: 'float64', hex: '95 14 07 ce 12345678 cb 4045000000000000 01' },
    ],
  },
  {
    name: 'n above 2^32',
    dir: 'server',
    frame: [4, null, 1_791_828_201_417],
    forms: [
      { form: 'float64', hex: '93 04 c0 cb 427a131488fc9000' },
      { form: 'uint64', hex: '93 04 c0 cf 000001a13148 8fc9' },
      { form: 'int64', hex: '93 04 c0 d3 000001a13148 8fc9' },
    ],
  },
  {
    name: 'the largest n',
    dir: 'server',
    frame: [4, null, 9_007_199_254_740_991],
    forms: [
      { form: 'float64', hex: '93 04 c0 cb 433fffffffffffff' },
      { form: 'uint64', hex: '93 04 c0 cf 001fffffffffffff' },
      { form: 'int64', hex: '93 04 c0 d3 001fffffffffffff' },
    ],
  },
  {
    name: 'the smallest n',
    dir: 'server',
    frame: [4, null, -9_007_199_254_740_991],
    forms: [
      { form: 'float64', hex: '93 04 c0 cb c33fffffffffffff' },
      { form: 'int64', hex: '93 04 c0 d3 ffe0000000000001' },
    ],
  },
  {
    name: 'minus zero is zero',
    dir: 'server',
    frame: [4, null, 0],
    forms: [
      { form: 'float64', hex: '93 04 c0 cb 8000000000000000' },
      { form: 'float32', hex: '93 04 c0 ca 80000000' },
    ],
  },
  {
    name: 'headers longer than needed',
    dir: 'client',
    frame: [16, 1, 1, 'arena', [10], null, null],
    forms: [
      { form: 'shortest', hex: '97 10 01 01 a5 6172656e61 91 0a c0 c0' },
      { form: 'array16', hex: 'dc 0007 10 01 01 a5 6172656e61 dc 0001 0a c0 c0' },
      { form: 'array32', hex: 'dd 00000007 10 01 01 a5 6172656e61 dd 00000001 0a c0 c0' },
      { form: 'str8', hex: '97 10 01 01 d9 05 6172656e61 91 0a c0 c0' },
      { form: 'str16', hex: '97 10 01 01 da 0005 6172656e61 91 0a c0 c0' },
      { form: 'str32', hex: '97 10 01 01 db 00000005 6172656e61 91 0a c0 c0' },
    ],
  },
  {
    name: 'nil fields at the end may be missing, and newer clients send more',
    dir: 'client',
    frame: [16, 1, 3, 'arena', [], null, null],
    forms: [
      { form: 'missing', hex: '95 10 01 03 a5 6172656e61 90' },
      { form: 'one missing', hex: '96 10 01 03 a5 6172656e61 90 c0' },
      { form: 'two more', hex: '9b 10 01 03 a5 6172656e61 90 c0 c0 c0 c0 19 81 a1 61 c3' },
    ],
  },
  {
    name: 'newer servers send more',
    dir: 'server',
    frame: [5, 1, 404, 'no', null],
    forms: [
      { form: 'as it is', hex: '95 05 01 cd 0194 a2 6e6f c0' },
      { form: 'missing', hex: '94 05 01 cd 0194 a2 6e6f' },
      { form: 'a map more', hex: '96 05 01 cd 0194 a2 6e6f c0 81 a9 5f5f70726f746f5f5f 01' },
      { form: 'a map32 and an empty map more', hex: '97 05 01 cd 0194 a2 6e6f c0 df 00000001 a1 61 02 80' },
    ],
  },
  {
    name: 'REFRESH with its token as longer text',
    dir: 'client',
    frame: [7, 6, 'a.b.c'],
    forms: [
      { form: 'fixstr', hex: '93 07 06 a5 612e622e63' },
      { form: 'str8', hex: '93 07 06 d9 05 612e622e63' },
      { form: 'str32 and an element more', hex: '94 07 cc06 db 00000005 612e622e63 c0' },
    ],
  },
  {
    name: 'WELCOME of a newer server: a limit more, an element more',
    dir: 'server',
    frame: [2, 'k', 0, 25_000, null, null, [32, 4_096, 60, 65_536, 9], 7, '0'],
    forms: [
      { form: 'as it is', hex: '99 02 a1 6b 00 cd 61a8 c0 c0 95 20 cd 1000 3c ce 00010000 09 07 a1 30' },
      { form: 'one more', hex: '9a 02 a1 6b 00 cd 61a8 c0 c0 95 20 cd 1000 3c ce 00010000 09 07 a1 30 c3' },
    ],
  },
  {
    name: 'GOAWAY without url',
    dir: 'server',
    frame: [6, 1, 5_000, 10_000, null],
    forms: [
      { form: 'nil', hex: '95 06 01 cd 1388 cd 2710 c0' },
      { form: 'missing', hex: '94 06 01 cd 1388 cd 2710' },
      { form: 'uint64', hex: '95 06 01 cf 0000000000001388 cf 0000000000002710 c0' },
    ],
  },
  {
    name: 'REFRESHED, n as integer or float, nil or missing',
    dir: 'server',
    frame: [8, 6, 3_600_000],
    forms: [
      { form: 'uint32', hex: '93 08 06 ce 0036ee80' },
      { form: 'float64', hex: '93 08 06 cb 414b774000000000' },
      { form: 'float32', hex: '93 08 06 ca 4a5bba00' },
    ],
  },
  {
    name: 'REFRESHED of a token without end',
    dir: 'server',
    frame: [8, 6, null],
    forms: [
      { form: 'nil', hex: '93 08 06 c0' },
      { form: 'missing', hex: '92 08 06' },
    ],
  },
  {
    name: 'SYNC of a position only, its seq as integer or float',
    dir: 'server',
    frame: [37, 7, 305_419_896, 42, null],
    forms: [
      { form: 'fixint', hex: '95 25 07 ce 12345678 2a c0' },
      { form: 'missing', hex: '94 25 07 ce 12345678 2a' },
      { form: 'float64', hex: '95 25 07 ce 12345678 cb 4045000000000000 c0' },
    ],
  },
  {
    name: 'text is neither trimmed nor normalised, and keeps a leading U+FEFF',
    dir: 'client',
    frame: [16, 1, 1, '\uFEFFe\u0301 \u{1F642}', [], null, null],
    forms: [{ form: 'fixstr', hex: '97 10 01 01 ab efbbbf 65 cc81 20 f09f9982 90 c0 c0' }],
  },
];

export const unknownVectors: readonly UnknownVector[] = [
  { name: 'a frame type of a later version', dir: 'server', hex: '93 7f 01 a1 78', expect: 'skip' },
  { name: 'a reserved frame type', dir: 'server', hex: '94 23 07 00 c0', expect: 'skip' },
  { name: 'a frame type of a later version', dir: 'client', hex: '93 7f 01 a1 78', expect: 'error-400' },
  { name: 'a frame that only servers send', dir: 'client', hex: '98 20 07 01 00 01 00 90 00', expect: 'error-400' },
  { name: 'a BATCH', dir: 'client', hex: '92 00 91 91 03', expect: 'error-400' },
  { name: 'a GOAWAY', dir: 'client', hex: '95 06 01 00 00 c0', expect: 'error-400' },
];
