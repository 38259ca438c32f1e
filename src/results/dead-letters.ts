/** Dead letters: records that nobody can apply, kept with the reason so that a person can look and send them again. */

import type { LogRecord } from '../domain/log-record.js';

export interface DeadLetter {
  readonly source: string;
  readonly partition: number;
  /** As it came: key, value and headers are kept, cut only where a log has no room for them. */
  readonly record: LogRecord;
  /** For programs, such as `points_out_of_range`. */
  readonly reason: string;
  /** For the person who sent it. */
  readonly detail: string;
}

export interface DeadLetters {
  /** Resolves once all are durable. A letter may be written twice where a process dies at the wrong moment. */
  write(letters: readonly DeadLetter[]): Promise<void>;
}

/** What is added to the record's own headers. */
export function letterHeaders(letter: DeadLetter, writtenAt: number): Record<string, string> {
  return {
    ...letter.record.headers,
    'dlq-topic': letter.source.replace(/^kafka:/, ''),
    'dlq-partition': String(letter.partition),
    'dlq-offset': String(letter.record.offset),
    'dlq-reason': letter.reason,
    'dlq-detail': letter.detail,
    'dlq-at': new Date(writtenAt).toISOString(),
  };
}
