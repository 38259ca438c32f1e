/** Bytes from the server to typed frames: shapes are checked just enough that no later code can trip over one. */

import { FrameType, type ServerFrame } from '../../proto/frames.js';
import { decodeFrame } from '../wire/decode.js';

/** The bytes are no frame of this protocol: the stream cannot be trusted any more. */
export class UnreadableFrameError extends Error {}

/**
 * The frames of one message, in order: a BATCH is unpacked, frames of unknown types are left out (a newer server).
 * Throws for bytes that are not msgpack and for known frames with fields of the wrong kind.
 */
export function readFrames(bytes: Uint8Array): readonly ServerFrame[] {
  const value = decodeFrame(bytes);
  if (!Array.isArray(value)) throw new UnreadableFrameError('a frame must be an array');
  if (value[0] !== FrameType.batch) return readOne(value);
  const frames: unknown = value[1];
  if (!Array.isArray(frames)) throw new UnreadableFrameError('a BATCH must hold an array of frames');
  return frames.flatMap(readOne);
}

type Kind = 'n' | 's' | 'a' | '?';

/** Leading fields after the type that this version relies on: number, text, array, anything. Further ones may be absent. */
const SHAPES: Readonly<Record<number, readonly Kind[]>> = {
  [FrameType.welcome]: ['s', 'n', 'n'],
  [FrameType.ping]: [],
  [FrameType.pong]: [],
  [FrameType.error]: ['n', 'n', 's'],
  [FrameType.goaway]: ['n', 'n', 'n', '?'],
  [FrameType.refreshed]: ['n', '?'],
  [FrameType.subscribed]: ['n', 'n', 'n', 'n', 'n', 'a'],
  [FrameType.unsubscribed]: ['n', 'n', 'n', 's'],
  [FrameType.snapshot]: ['n', 'n', 'n', 'n', 'n', 'a', 'n'],
  [FrameType.delta]: ['n', 'n', 'n', 'a', 'a', '?', '?', 'n'],
  [FrameType.rank]: ['n', 'n', '?', '?', '?', 'n', '?', '?', 'n', 'n'],
  [FrameType.board]: ['n', 'n', '?'],
  [FrameType.sync]: ['n', 'n', 'n', '?'],
};

function readOne(value: unknown): readonly ServerFrame[] {
  if (!Array.isArray(value) || typeof value[0] !== 'number')
    throw new UnreadableFrameError('a frame must begin with its type');
  const shape = SHAPES[value[0]];
  if (shape === undefined) return [];
  shape.forEach((kind, index) => {
    if (!fits(kind, value[index + 1]))
      throw new UnreadableFrameError(`frame ${value[0]}: field ${index + 1} is of the wrong kind`);
  });
  return [value as unknown as ServerFrame];
}

function fits(kind: Kind, value: unknown): boolean {
  if (kind === 'n') return typeof value === 'number';
  if (kind === 's') return typeof value === 'string';
  return kind === '?' || Array.isArray(value);
}
