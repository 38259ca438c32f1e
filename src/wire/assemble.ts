/** Frames from elements that are encoded already: a changed row is encoded once, each watcher's frame is header and copies. */

import { FrameType, MAX_SERVER_FRAME_BYTES } from '../../proto/frames.js';
import { encodeValue } from './encode.js';
import { FrameWriter } from './frame-writer.js';

export interface DeltaParts {
  readonly topic: number;
  readonly seq: number;
  /** How many steps of seq it merges; 0 restates ranks at a seq that the window has. */
  readonly span: number;
  /** Refs that left the window. */
  readonly removed: readonly number[];
  /** Encoded rows; in a placed window by ascending index. */
  readonly placed: readonly Uint8Array[];
  /** `null` where it did not change, as `total`. */
  readonly first: number | null;
  readonly total: number | null;
  /** Server time of the newest result inside, epoch milliseconds. */
  readonly at: number;
}

export interface SnapshotParts {
  readonly topic: number;
  readonly epoch: number;
  readonly seq: number;
  /** Rank of index 0; 1 for windows that show no places. */
  readonly first: number;
  /** How many players the list ranks. */
  readonly total: number;
  /** Encoded rows, all of the window. */
  readonly entries: readonly Uint8Array[];
  /** Server time of the newest result inside, epoch milliseconds. */
  readonly at: number;
  /** What no part may exceed, unless a single entry does. Default `MAX_SERVER_FRAME_BYTES`. */
  readonly maxBytes?: number;
}

/** What `assembleBatch` adds to the sum of its frames at most: gather up to the frame limit minus this. */
export const MAX_BATCH_HEADER_BYTES = 7;
/** Everything of a SNAPSHOT but its entries, each number at its longest. */
const MAX_SNAPSHOT_HEADER_BYTES = 50;

const writer = new FrameWriter();

/** One row as bytes of their own; the frames of this file copy it in. Rules and errors as `encodeFrame`. */
export function encodeElement(value: readonly unknown[]): Uint8Array {
  return encodeValue(value);
}

/**
 * A DELTA of any size. A delta has no parts: where it comes out above `MAX_SERVER_FRAME_BYTES`, send snapshots instead.
 */
export function assembleDelta(parts: DeltaParts): Uint8Array {
  const { removed, placed } = parts;
  writer.start();
  writer.arrayHeader(9);
  writer.unsigned(FrameType.delta);
  writer.unsigned(parts.topic);
  writer.number(parts.seq);
  writer.unsigned(parts.span);
  writer.arrayHeader(removed.length);
  for (const ref of removed) writer.unsigned(ref);
  writer.arrayHeader(placed.length);
  for (const row of placed) writer.element(row);
  writer.numberOrNil(parts.first);
  writer.numberOrNil(parts.total);
  writer.number(parts.at);
  return writer.finish();
}

/** The SNAPSHOT in one or more frames, to be sent in this order with no other frame of the topic between them. */
export function assembleSnapshots(parts: SnapshotParts): Uint8Array[] {
  const { entries } = parts;
  const room = (parts.maxBytes ?? MAX_SERVER_FRAME_BYTES) - MAX_SNAPSHOT_HEADER_BYTES;
  const frames: Uint8Array[] = [];
  let from = 0;
  do {
    const to = endOfPart(entries, from, room);
    frames.push(assembleSnapshotPart(parts, from, to));
    from = to;
  } while (from < entries.length);
  return frames;
}

/** One past the last entry that still fits; at least one goes, so that an entry above the limit cannot stop the rest. */
function endOfPart(entries: readonly Uint8Array[], from: number, room: number): number {
  let used = 0;
  for (let index = from; index < entries.length; index += 1) {
    used += entries[index]?.length ?? 0;
    if (used > room && index > from) return index;
  }
  return entries.length;
}

function assembleSnapshotPart(parts: SnapshotParts, from: number, to: number): Uint8Array {
  const hasMore = to < parts.entries.length;
  writer.start();
  writer.arrayHeader(hasMore ? 9 : 8);
  writer.unsigned(FrameType.snapshot);
  writer.unsigned(parts.topic);
  writer.unsigned(parts.epoch);
  writer.number(parts.seq);
  writer.unsigned(parts.first);
  writer.number(parts.total);
  writer.arrayHeader(to - from);
  for (let index = from; index < to; index += 1) writer.element(parts.entries[index] ?? NIL);
  writer.number(parts.at);
  if (hasMore) writer.yes();
  return writer.finish();
}

const NIL = new Uint8Array([0xc0]);

/** Complete frames in one message, in this order. Never put a BATCH into a BATCH, nor more than the frame limit. */
export function assembleBatch(frames: readonly Uint8Array[]): Uint8Array {
  writer.start();
  writer.arrayHeader(2);
  writer.unsigned(FrameType.batch);
  writer.arrayHeader(frames.length);
  for (const frame of frames) writer.element(frame);
  return writer.finish();
}
