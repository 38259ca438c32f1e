/** Records of a result log as every consumer sees them, whichever log they came from. */

export interface LogRecord {
  readonly offset: number;
  readonly key: Uint8Array | null;
  /** `null` is a defined no-op. */
  readonly value: Uint8Array | null;
  /** The log's own stamp (LogAppendTime), epoch milliseconds; never a consumer's clock. */
  readonly brokerAt: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Consecutive records of one partition: everything in `[from, to)`.
 * Offsets missing from `records` do not exist in the log. `from === to` without records only confirms the position.
 */
export interface PartitionBatch {
  /** Names the log, e.g. `kafka:match-results`; positions are kept per (source, partition). */
  readonly source: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly records: readonly LogRecord[];
}

/** The first offset of a partition not yet considered. */
export interface Position {
  readonly source: string;
  readonly partition: number;
  readonly next: number;
}

/** How many records `there` is behind `goal`, over all partitions; one that is not among the positions is at 0. */
export function countBehind(there: readonly Position[], goal: readonly Position[]): number {
  const behind = goal.map(({ source, partition, next }) => {
    const reached = there.find((position) => position.source === source && position.partition === partition);
    return Math.max(0, next - (reached?.next ?? 0));
  });
  return behind.reduce((total, records) => total + records, 0);
}
