/** A record on its way to Kafka, its size there, and cutting many into requests that a broker takes. */

export interface ProducedRecord {
  readonly key: Uint8Array | string | null;
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the one of the key. */
  readonly partition?: number;
}

/** The broker's default limit for what one request brings to one partition is 1 MiB. */
export const MAX_REQUEST_BYTES = 512 * 1_024;

const RECORD_OVERHEAD_BYTES = 70;
/** Two lengths as varints. */
const HEADER_OVERHEAD_BYTES = 10;

export function sizeOf({ key, value, headers = {} }: ProducedRecord): number {
  return bytesOf(key) + bytesOf(value) + headersSize(headers) + RECORD_OVERHEAD_BYTES;
}

export function headersSize(headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce(
    (bytes, [name, value]) => bytes + bytesOf(name) + bytesOf(value) + HEADER_OVERHEAD_BYTES,
    0,
  );
}

export function sizeOfAll(records: readonly ProducedRecord[]): number {
  return records.reduce((bytes, record) => bytes + sizeOf(record), 0);
}

/** In order; parts of at most `MAX_REQUEST_BYTES`, but always of at least one record. Nothing: no part. */
export function cutBySize(records: readonly ProducedRecord[]): ProducedRecord[][] {
  const parts: ProducedRecord[][] = [];
  let part: ProducedRecord[] = [];
  let size = 0;
  for (const record of records) {
    size += sizeOf(record);
    if (part.length === 0 || size > MAX_REQUEST_BYTES) {
      part = [];
      parts.push(part);
      size = sizeOf(record);
    }
    part.push(record);
  }
  return parts;
}

function bytesOf(bytes: Uint8Array | string | null): number {
  return bytes === null ? 0 : Buffer.byteLength(bytes);
}
