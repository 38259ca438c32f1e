/** Source of encode.json: one frame or more of each type, and the bytes that the server's encoder makes of it. */

import type { BatchFrame, ClientFrame, ServerFrame } from '../../../proto/frames.js';
import { encodeFrame } from '../../../src/wire/encode.js';
import { hexOf } from './hex.js';

type Dir = 'client' | 'server';

export interface EncodeVector {
  readonly name: string;
  readonly dir: Dir;
  readonly json: ServerFrame | BatchFrame | ClientFrame;
  readonly hex: string;
}

const EPOCH = 3_405_691_582;
const AT = 1_791_828_201_417;

function vector(dir: Dir, name: string, json: ServerFrame | BatchFrame | ClientFrame): EncodeVector {
  return { name, dir, json, hex: hexOf(encodeFrame(json)) };
}

export const encodeVectors: readonly EncodeVector[] = [
  vector('client', 'HELLO with a token', [1, 'aaaa.bbbb.cccc', 'sdk-js/0.1.0', 7, null]),
  vector('client', 'HELLO, anonymous, with the session before', [1, null, 'my-game/1.0', 3, 'k3f9']),
  vector('client', 'PING with nonce', [3, 4_294_967_295]),
  vector('client', 'SUBSCRIBE to top, nothing held', [16, 1, 1, 'arena', [100], null, null]),
  vector('client', 'SUBSCRIBE to top of a season with a position', [16, 2, 1, 'arena;s=12', [], EPOCH, 5_000_000_000]),
  vector('client', 'SUBSCRIBE around another player', [16, 3, 2, 'arena;d', [5, 0, '42'], null, null]),
  vector('client', 'SUBSCRIBE to me', [16, 3, 3, 'arena', [], null, null]),
  vector('client', 'SUBSCRIBE to friends without self', [16, 4, 4, 'arena', [50, false], null, null]),
  vector('client', 'SUBSCRIBE to a watch list, more to come', [
    16,
    5,
    5,
    'arena',
    [['42', '😀']],
    null,
    null,
    null,
    true,
  ]),
  vector('client', 'SUBSCRIBE to a watch list, its end', [16, 5, 5, 'arena;d', [['7']], null, null, null, false]),
  vector('client', 'UNSUBSCRIBE', [18, 5, 300]),
  vector('client', 'RESYNC after a gap', [20, 300, EPOCH, 5_000_000_000, 1]),
  vector('client', 'RESYNC after a checksum', [20, 7, EPOCH, 42, 2]),
  vector('client', 'REFRESH', [7, 6, 'aaaa.bbbb.dddd']),
  vector('server', 'WELCOME', [2, 'k3f9', AT, 25_000, 3_600_000, '42', [32, 4_096, 60, 65_536], 7, '0.1.0']),
  vector('server', 'WELCOME, anonymous', [2, 'k3f9', AT, 25_000, null, null, [32, 4_096, 60, 65_536], 7, '0.1.0']),
  vector('server', 'PING', [3]),
  vector('server', 'PONG', [4, 4_294_967_295, AT]),
  vector('server', 'ERROR 429', [5, 0, 429, 'too many frames: wait', 2_500]),
  vector('server', 'ERROR 404', [5, 1, 404, 'no board "nowhere"', null]),
  vector('server', 'ERROR 403 to REFRESH', [5, 6, 403, 'the token is that of another player', null]),
  vector('server', 'GOAWAY, shut down', [6, 1, 5_000, 10_000, null]),
  vector('server', 'GOAWAY to another address', [6, 3, 0, 10_000, 'wss://b.example/v1/socket']),
  vector('server', 'REFRESHED', [8, 6, 3_600_000]),
  vector('server', 'REFRESHED, a token without end', [8, 6, null]),
  vector('server', 'REFRESHED, as long as can be said', [8, 6, 4_294_967_295]),
  vector('server', 'SUBSCRIBED, snapshot follows', [
    17,
    1,
    7,
    0,
    EPOCH,
    41,
    ['arena', 'Arena', '12', 0, 0, 0, 0, 1_767_225_600_000, 1_924_991_999_999, 0],
  ]),
  vector('server', 'SUBSCRIBED, current', [
    17,
    2,
    7,
    1,
    EPOCH,
    41,
    ['arena', 'Arena', '12', 0, 0, 0, 0, null, null, 0],
  ]),
  vector('server', 'SUBSCRIBED, a delta follows', [
    17,
    2,
    7,
    2,
    EPOCH,
    60,
    ['arena', 'Arena', '12', 0, 0, 0, 0, null, null, 0],
  ]),
  vector('server', 'UNSUBSCRIBED as asked', [19, 5, 300, 200, 'as asked']),
  vector('server', "UNSUBSCRIBED by the server's wish", [19, 0, 7, 503, 'subscribe again']),
  vector('server', 'SNAPSHOT of an empty list', [32, 7, EPOCH, 0, 1, 0, [], 0]),
  vector('server', 'SNAPSHOT, placed, first part', [
    32,
    7,
    EPOCH,
    41,
    1,
    90_210,
    [
      [1, 1_518, null, '42', 'Ada'],
      [2, 1_500, null, 'Ａ', null],
    ],
    AT,
    true,
  ]),
  vector('server', 'SNAPSHOT, placed, last part', [32, 7, EPOCH, 41, 1, 90_210, [[3, 1_490, null, '🙂', '玩家']], AT]),
  vector('server', 'SNAPSHOT, unplaced', [
    32,
    8,
    EPOCH,
    41,
    1,
    90_210,
    [
      [70_000, 1_518, 12, 14, 6_517_760_360_447, AT, '42', 'Ada'],
      [70_001, null, null, null, null, null, '5', null],
    ],
    AT,
  ]),
  vector('server', 'DELTA, placed', [33, 7, 42, 1, [3], [[0, 9, 1_600, null, '77', 'Cy']], null, 90_211, AT]),
  vector('server', 'DELTA, placed, known ref', [33, 7, 50, 8, [], [[1, 1, 1_599]], null, null, AT]),
  vector('server', 'DELTA, unplaced, span 0', [
    33,
    8,
    9_007_199_254_740_991,
    0,
    [],
    [[70_000, 1_518, 13, 12, 9_007_199_254_740_991, AT]],
    null,
    null,
    AT,
  ]),
  vector('server', 'RANK', [34, 9, 5_000_000_000, 311, 312, 1_490, 90_211, 4, 290, AT, EPOCH]),
  vector('server', 'RANK with a tier', [34, 9, 42, 311, 312, 1_490, 90_211, 4, 290, AT, EPOCH, 'gold']),
  vector('server', 'RANK of a player without a row', [34, 9, 43, null, null, null, 90_211, null, null, AT, EPOCH]),
  vector('server', 'BOARD', [
    36,
    7,
    0,
    ['arena', 'Arena', '12', 0, 0, 0, 0, AT, AT + 86_400_000, 0, null, 'd:2026-10-12', 'guild:77'],
  ]),
  vector('server', 'BOARD of another state', [36, 7, 1, null]),
  vector('server', 'SYNC', [37, 7, EPOCH, 42, 2_774_903_215]),
  vector('server', 'SYNC of a position only', [37, 9, EPOCH, 5_000_000_000, null]),
  vector('server', 'BATCH', [
    0,
    [
      [34, 9, 44, 311, null, 1_490, 90_211, null, null, AT, EPOCH],
      [33, 7, 44, 1, [], [[1, 1, 1_599]], null, null, AT],
    ],
  ]),
];
