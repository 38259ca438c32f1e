/** Dead letters as records of `<topic>.dlq`, cut where a record leaves no room for what is added to it. */

import { type DeadLetter, type DeadLetters, letterHeaders } from './dead-letters.js';
import { RefusedRecordsError, toKafkaError } from './kafka-client.js';
import type { KafkaProducer } from './kafka-producer.js';
import { headersSize, type ProducedRecord } from './produced-record.js';

/** How much of a value is kept; the second is for a topic that refuses the first. */
const KEPT_VALUE_BYTES = [512 * 1_024, 4 * 1_024];

export class KafkaDeadLetters implements DeadLetters {
  constructor(private readonly producer: KafkaProducer) {}

  async write(letters: readonly DeadLetter[]): Promise<void> {
    const now = Date.now();
    let left = letters;
    let refusal: unknown;
    for (const maxValueBytes of KEPT_VALUE_BYTES) {
      const records = new Map(left.map((letter) => [cutLetter(letter, now, maxValueBytes), letter]));
      try {
        return await this.producer.append([...records.keys()]);
      } catch (error) {
        if (!(error instanceof RefusedRecordsError)) throw error;
        refusal = error;
        left = error.records.flatMap((record) => records.get(record) ?? []);
      }
    }
    // Nothing is wrong with the results beside it: a person has to let the topic take small records.
    throw toKafkaError(refusal);
  }
}

/**
 * Key and headers are kept up to a quarter of the value's bytes, headers all or none. Header `dlq-truncated` says how many
 * bytes there were of what was cut, such as `value=900000,key=200000`.
 */
export function cutLetter(letter: DeadLetter, writtenAt: number, maxValueBytes: number): ProducedRecord {
  const { key, value, headers = {} } = letter.record;
  const maxOtherBytes = maxValueBytes / 4;
  const cuts: string[] = [];
  const cut = (name: string, bytes: Uint8Array | null, maxBytes: number): Uint8Array | null => {
    if (bytes === null || bytes.length <= maxBytes) return bytes;
    cuts.push(`${name}=${bytes.length}`);
    return bytes.subarray(0, maxBytes);
  };
  const kept = { value: cut('value', value, maxValueBytes), key: cut('key', key, maxOtherBytes) };
  const isOwnKept = headersSize(headers) <= maxOtherBytes;
  if (!isOwnKept) cuts.push(`headers=${headersSize(headers)}`);
  const own = letterHeaders(isOwnKept ? letter : { ...letter, record: { ...letter.record, headers: {} } }, writtenAt);
  return { ...kept, headers: cuts.length === 0 ? own : { ...own, 'dlq-truncated': cuts.join(',') } };
}
