/** What the way of a result tells the outside: readiness, lag, loss and counts. */

export interface LogReports {
  /** A group reads and its consumer keeps up with what it is given. */
  ready(name: string): void;
  notReady(name: string, reason: string): void;
  /** Records of the log that the group has not considered yet. */
  lag(group: string, partition: number, records: number): void;
  /** Records that the log no longer held when the group came for them. */
  lost(group: string, partition: number, records: number): void;
}

/**
 * Outcomes of truth: `inserted`, `duplicate`, `conflict`, `rejected`; of ranking: `applied`, `no-record`, `duplicate`, `late`,
 * `marked`, `hidden`, `voided` (a copy of a result that was taken back), `skipped`, `rejected`.
 */
export interface ResultCounters {
  /** `reason`: why ranking rejects records, such as `points_out_of_range`; none with its other outcomes, nor with those of truth. */
  count(outcome: string, n: number, reason?: string): void;
}
