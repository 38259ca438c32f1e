/**
 * The checksum of SYNC: CRC-32 (ISO 3309, as in zip and PNG) over the rows that a window shows, in the order shown. Each row is
 * its ref as uint32 LE, its score as float64 LE (nil: eight 0xFF bytes), and, where the window carries ranks row by row
 * (friends, me), its rank as uint32 LE (nil: 0). Our own since browsers have none.
 */

export interface CheckedRow {
  /** 0 in the window of the own rank, which has none. */
  readonly ref: number;
  readonly score: number | null;
  /** Left out where ranks follow from the place. */
  readonly rank?: number | null;
}

const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

const row = new DataView(new ArrayBuffer(16));

/** A `u`. */
export function windowCheck(rows: Iterable<CheckedRow>): number {
  let crc = 0xffffffff;
  for (const { ref, score, rank } of rows) {
    row.setUint32(0, ref, true);
    if (score === null) {
      row.setUint32(4, 0xffffffff);
      row.setUint32(8, 0xffffffff);
    } else {
      row.setFloat64(4, score, true);
    }
    let length = 12;
    if (rank !== undefined) {
      row.setUint32(12, rank ?? 0, true);
      length = 16;
    }
    for (let at = 0; at < length; at += 1) crc = (crc >>> 8) ^ (TABLE[(crc ^ row.getUint8(at)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
