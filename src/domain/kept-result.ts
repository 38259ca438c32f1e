/** A result as truth keeps it, and where it came from; instants in epoch milliseconds. */

export interface KeptResult {
  readonly mode: string;
  /** All values by name. */
  readonly fields: Readonly<Record<string, number>>;
  readonly achievedAt: number;
  readonly brokerAt: number;
  /** `null`: it counts. */
  readonly voidedAt: number | null;
  /** Where it stands in the log. */
  readonly source: string;
  readonly partition: number;
  readonly offset: number;
}
