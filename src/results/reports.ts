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

/** Outcomes of truth: `inserted`, `duplicate`, `conflict`, `rejected`; of ranking: `applied`, `no-record`, `duplicate`, `late`, `marked`, `skipped`, `rejected`. */
export interface ResultCounters {
  count(outcome: string, n: number): void;
}
