/** The contract of a place where dead letters wait: a person looks at them, and sends their records to the log again. */

export interface WaitingLetter {
  /** Where the record came from: `kafka:<topic>` or `postgres`. */
  readonly source: string;
  /** `null`, as is the offset, where somebody else wrote the letter and did not say. */
  readonly partition: number | null;
  readonly offset: number | null;
  readonly reason: string;
  readonly detail: string;
  /** When the letter was written, ISO 8601. */
  readonly at: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** What was cut, such as `value=900000`; `null`: it is whole. A cut record is not the one that was sent: it only waits. */
  readonly truncated: string | null;
}

/**
 * Letters are seen oldest first (with several partitions: in each), up to the end as it was at the call: a record that
 * is refused again comes back as a new letter, and is not read again.
 */
export interface DeadLetterBox {
  /** Shows what waits, some letters at a time, until `look` answers false. Changes nothing. */
  read(look: (letters: readonly WaitingLetter[]) => boolean): Promise<void>;
  /**
   * Appends the records of the letters with this reason (`null`: all) to the log, as they came and in order. `sent` is
   * told of letters once their records are durable and they no longer wait; a process that dies in between sends at
   * most those again. Answers how many it left waiting.
   *
   * @throws {RankcastError} where something cannot be sent or remembered now; what was not sent still waits.
   */
  replay(reason: string | null, sent: (letters: readonly WaitingLetter[]) => void): Promise<number>;
}

export function isReplayed({ truncated, reason }: WaitingLetter, wanted: string | null): boolean {
  return truncated === null && (wanted === null || reason === wanted);
}
