/** A result as truth keeps it, and where it came from; instants in epoch milliseconds. */

export interface KeptResult {
  readonly mode: string;
  /** All values by name, as they count. */
  readonly fields: Readonly<Record<string, number>>;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
  readonly brokerAt: number;
  /** `null`: it counts. */
  readonly voidedAt: number | null;
  /** The log's stamp of the correction that its values are from; `null`: they are as they came. */
  readonly correctedAt: number | null;
  /** Where it came in the log. */
  readonly source: string;
  readonly partition: number;
  readonly offset: number;
}
