/** The msgpack that crosses between Node and the scripts: one value as argument, one value per stream entry. */

import { Packr, Unpackr } from 'msgpackr';

/** Plain arrays and scalars only; cmsgpack knows neither records nor extensions. */
const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });
/** cmsgpack writes whole numbers as int64; all of ours are below 2^53. */
const unpackr = new Unpackr({ useRecords: false, int64AsType: 'number' });

export function packArgument(value: unknown): Buffer {
  return packr.pack(value);
}

export function unpackEntry(bytes: Uint8Array): unknown {
  return unpackr.unpack(bytes);
}
