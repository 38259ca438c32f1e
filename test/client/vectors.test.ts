/** The contract's own examples, run through the whole client as a server would send them. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ServerFrame } from '../../proto/frames.js';
import { encodeFrame } from '../../src/client/encode.js';
import { readFrames } from '../../src/client/read-frame.js';
import { goLive, newSession, subscribed } from './support/session.js';

interface ApplyVector {
  readonly name: string;
  readonly window: 'placed' | 'unplaced';
  readonly frames: readonly ServerFrame[];
  readonly expect: {
    readonly entries: readonly (readonly [string, number | null, number | null])[];
    readonly resyncs: number;
  };
}
interface EncodeVector {
  readonly name: string;
  readonly dir: string;
  readonly json: readonly unknown[];
  readonly hex: string;
}

function vectorsOf<Vector>(file: string): readonly Vector[] {
  const url = new URL(`../../proto/vectors/${file}`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { vectors: Vector[] }).vectors;
}

describe('apply.json', () => {
  it.each(vectorsOf<ApplyVector>('apply.json'))('$window: $name', async ({ window, frames, expect: wanted }) => {
    const session = newSession();
    const view = window === 'placed' ? session.client.top('arena') : session.client.friends('arena');
    await goLive(session, '42');
    const { socket } = session.network;
    socket.deliver(subscribed(socket.last(16)[1], Number(frames[0]?.[1]), 0, 1, 0));
    socket.deliver(...frames);
    const entries = view.current?.entries ?? [];
    expect(entries.map(({ playerId, score, rank }) => [playerId, score, rank])).toEqual(wanted.entries);
    expect(socket.countOf(20)).toBe(wanted.resyncs);
    expect(session.errors).toEqual([]);
  });
});

describe('encode.json', () => {
  const vectors = vectorsOf<EncodeVector>('encode.json');
  const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

  it.each(vectors.filter(({ dir, json }) => dir.startsWith('s') && json[0] !== 0))('reads $name', ({ json, hex }) => {
    expect(readFrames(bytesOf(hex))).toEqual([json]);
  });

  it.each(vectors.filter(({ dir }) => dir.startsWith('c')))('writes $name', ({ json, hex }) => {
    expect([...encodeFrame(json)]).toEqual([...bytesOf(hex)]);
  });
});
