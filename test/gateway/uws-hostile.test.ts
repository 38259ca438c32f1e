/** Hostile bytes over real sockets (case A19): the code of PROTOCOL.md, that socket only, nothing quoted, no growth. */

import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CloseCode } from '../../proto/close-codes.js';
import { FrameType, JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../proto/frames.js';
import { encodeValue } from '../../src/wire/encode.js';
import { eventually } from '../contract/ranking-fixture.js';
import { bytesOf } from '../proto/vectors/hex.js';
import { LiveGateway, type LiveSocket } from './support/live-gateway.js';

/** What a browser shows where the library cut the connection instead of closing it. */
const CUT = 1_006;
const BAD_UTF8 = 1_007;
const SECRET = 'hunter2';
const MAX_GROWTH_BYTES = 5_000_000;

let live: LiveGateway;
let neighbour: LiveSocket;
let nonce = 0;

beforeAll(async () => {
  live = await LiveGateway.start({ limits: { sockets: 9_999, socketsPerAddress: 9_999, connectsPerAddress: 9_999 } });
});
beforeEach(async () => {
  neighbour = await live.socket().greeted();
});
afterAll(() => live.close());

/** Another socket's PING comes back within a second. */
async function expectNeighbourUnaffected(): Promise<void> {
  const sentAt = performance.now();
  await echo(neighbour);
  expect(performance.now() - sentAt).toBeLessThan(1_000);
}

/** Sends a PING; true when its PONG came, false when the socket closed instead. */
async function echo(socket: LiveSocket): Promise<boolean> {
  nonce += 1;
  const sent = nonce;
  socket.send([FrameType.ping, sent]);
  const isBack = () => socket.frames.some((frame) => frame[0] === FrameType.pong && frame[1] === sent);
  await eventually(() => isBack() || socket.closeCode !== undefined, 'PONG or a close came');
  return isBack();
}

async function closeOf(message: Uint8Array | string, subprotocol: string = SUBPROTOCOL): Promise<number | undefined> {
  const socket = await live.socket({ protocols: [subprotocol] }).greeted();
  socket.ws.send(message);
  const code = await socket.untilClosed();
  expectQuotesNothing(socket);
  return code;
}

function expectQuotesNothing({ closeReason }: LiveSocket): void {
  expect(closeReason).toMatch(/^[ -~]{0,123}$/);
  expect(closeReason).not.toContain(SECRET);
}

function repeated(hex: string, times: number): Buffer {
  return Buffer.from(bytesOf(hex.repeat(times)));
}

/** Bytes that stay, of this process, in which the server and its clients live. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('Nesting and length bombs', () => {
  const bombs: readonly (readonly [string, Buffer, readonly number[]])[] = [
    [
      '10,000 arrays in each other',
      Buffer.concat([repeated('91', 10_000), repeated('c0', 1)]),
      [CloseCode.frameTooBig],
    ],
    ['3 KiB of arrays in each other', repeated('91', 3_072), [CloseCode.badFrame]],
    // Well-formed but for its depth: nothing else in it could close the socket.
    ['a PING with 3 KiB of arrays behind it', repeated(`93 03 01 ${'91'.repeat(3_072)} c0`, 1), [CloseCode.badFrame]],
    ['3 KiB of maps in each other', repeated('81 a0', 1_536), [CloseCode.badFrame]],
    ['an array of 2^32-1', repeated('dd ff ff ff ff', 1), [CloseCode.badFrame]],
    ['a map of 2^32-1', repeated('df ff ff ff ff', 1), [CloseCode.badFrame]],
    ['binary of 2^32-1', repeated('c6 ff ff ff ff', 1), [CloseCode.badFrame]],
    ['text of 2^32-1', repeated('91 db ff ff ff ff', 1), [CloseCode.badFrame]],
    ['1,365 arrays of 65,535', repeated('dc ff ff', 1_365), [CloseCode.badFrame]],
    ['24,000 arrays of 65,535', repeated('dc ff ff', 24_000), [CloseCode.frameTooBig, CUT]],
  ];

  it.each(bombs)('%s close their own socket, and nobody else notices', async (_what, message, codes) => {
    expect(codes).toContain(await closeOf(message));
    await expectNeighbourUnaffected();
  });

  it('leave no memory behind, however many there are', async () => {
    const round = async (): Promise<void> => {
      for (const [, message] of bombs) await closeOf(message);
      live.forgetSockets();
    };
    await round();
    const before = keptBytes();
    for (let count = 0; count < 15; count += 1) await round();
    expect(keptBytes() - before).toBeLessThan(MAX_GROWTH_BYTES);
    neighbour = await live.socket().greeted();
    await expectNeighbourUnaffected();
  });
});

describe('Bytes that are no frames', () => {
  it('close with 4400 whatever is wrong with them, and the reason quotes none of them', async () => {
    for (const message of [
      new Uint8Array(),
      encodeValue([SECRET]),
      encodeValue([FrameType.refresh, 0, SECRET]),
      encodeValue([FrameType.subscribe, 1, SECRET, SECRET, []]),
      Buffer.concat([encodeValue([3]), encodeValue(SECRET)]),
      bytesOf('92 03 c7 00 72'),
    ]) {
      expect(await closeOf(message)).toBe(CloseCode.badFrame);
    }
    expect(await closeOf(SECRET)).toBe(CloseCode.badFrame);
    await expectNeighbourUnaffected();
  });

  it('as text that is not UTF-8 end the connection, which the library does on its own', async () => {
    for (const subprotocol of [SUBPROTOCOL, JSON_SUBPROTOCOL]) {
      const socket = await live.socket({ protocols: [subprotocol] }).greeted();
      socket.ws.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
      expect([CUT, BAD_UTF8]).toContain(await socket.untilClosed());
    }
    await expectNeighbourUnaffected();
  });

  it('close their own socket or are skipped: vectors of the protocol after a few bytes were changed', async () => {
    const { vectors } = JSON.parse(readFileSync('proto/vectors/decode.json', 'utf8')) as {
      vectors: { forms: { hex: string }[] }[];
    };
    const seeds = vectors.flatMap(({ forms }) => forms.map(({ hex }) => bytesOf(hex)));
    const edit = fc.tuple(
      fc.nat(),
      fc.oneof(fc.nat({ max: 255 }), fc.integer({ min: 0xc0, max: 0xdf })),
      fc.nat({ max: 2 }),
    );
    const mutated = fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(mutated, async ([seed, edits]) => await expectContained(edited(seed, edits))),
      { numRuns: 150 },
    );
    await expectNeighbourUnaffected();
  });

  it('close their own socket or are skipped: random bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, async (message) => await expectContained(message)),
      { numRuns: 150 },
    );
    await expectNeighbourUnaffected();
  });
});

/** `how`: 0 sets the byte, 1 cuts one out, 2 puts it in. */
function edited(seed: Uint8Array, edits: readonly (readonly [number, number, number])[]): Uint8Array {
  const bytes = [...seed];
  for (const [at, byte, how] of edits)
    bytes.splice(at % (bytes.length + 1), how === 2 ? 0 : 1, ...(how === 1 ? [] : [byte]));
  return Uint8Array.from(bytes);
}

/** Either the session goes on, or it is closed for a bad frame; never a fault of the server. */
async function expectContained(message: Uint8Array): Promise<void> {
  const socket = await live.socket().greeted();
  socket.ws.send(message);
  if (await echo(socket)) return socket.ws.terminate();
  expect([CloseCode.badFrame, CloseCode.frameTooBig]).toContain(socket.closeCode);
  expectQuotesNothing(socket);
}

describe('The JSON twin', () => {
  const nested = (open: string, close: string, depth: number) => `[3,${open.repeat(depth)}1${close.repeat(depth)}]`;

  it.each([
    ['no JSON', SECRET],
    ['an object', `{"0": 3, "1": "${SECRET}"}`],
    ['two frames', '[3][3]'],
    ['arrays in each other', nested('[', ']', 2_000)],
    ['objects in each other', nested('{"a":', '}', 600)],
    ['arrays that do not end', '['.repeat(4_096)],
    ['a number that is infinite', '[3, 1e999]'],
    ['a number beyond 2^53-1', '[3, 9007199254740993]'],
    ['a number of 4,000 digits', `[3, ${'9'.repeat(4_000)}]`],
    ['half a surrogate pair', `[16, 1, 1, "${SECRET}\\ud800", []]`],
    ['half a surrogate pair as a key', `[99, {"${SECRET}\\udc00": 1}]`],
    ['a wrong field', `[7, 1, {"__proto__": "${SECRET}"}]`],
  ])('closes with 4400 on %s, and nobody else notices', async (_what, text) => {
    expect(await closeOf(text, JSON_SUBPROTOCOL)).toBe(CloseCode.badFrame);
    await expectNeighbourUnaffected();
  });

  it('closes with 1009 above 4,096 bytes, counted as UTF-8', async () => {
    expect(await closeOf(JSON.stringify([3, 1, 'ä'.repeat(2_048)]), JSON_SUBPROTOCOL)).toBe(CloseCode.frameTooBig);
  });

  it('takes special and duplicate keys for keys, and pollutes nothing', async () => {
    const socket = await live.socket({ protocols: [JSON_SUBPROTOCOL] }).greeted();
    socket.ws.send('[3, 1, {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}]');
    socket.ws.send('[16, 1, 1, "arena", [{"__proto__": {"length": 1}, "a": 1, "a": 2}]]');
    expect((await socket.untilFrame(FrameType.error)).slice(0, 3)).toEqual([FrameType.error, 1, 422]);
    expect(await echo(socket)).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    await expectNeighbourUnaffected();
  });
});
