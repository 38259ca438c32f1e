/** The ids of a watch list in frames that a server takes: they are small. */

import { MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';

/** What stands beside the ids in SUBSCRIBE: a list id may have some 250 bytes. */
const HEAD_BYTES = 512;
/** Of UTF-8 for each unit of a string, at most; and in front of it. */
const BYTES_PER_UNIT = 3;
const BYTES_PER_ID = 2;

/** One part at least, each of them as long as is sure to fit. */
export function idParts(ids: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let left = MAX_CLIENT_FRAME_BYTES - HEAD_BYTES;
  for (const id of ids) {
    const bytes = BYTES_PER_ID + BYTES_PER_UNIT * id.length;
    if (bytes > left && parts.at(-1)?.length !== 0) {
      parts.push([]);
      left = MAX_CLIENT_FRAME_BYTES - HEAD_BYTES;
    }
    parts.at(-1)?.push(id);
    left -= bytes;
  }
  return parts;
}
