/**
 * Which of two records of a log is the later one, where the last word counts. A replay must not let an older one win, and
 * one key's records share a partition, unless partitions were added: then the log's stamps decide.
 */

export interface LogPlace {
  readonly source: string;
  readonly partition: number;
  readonly offset: number;
  /** The log's stamp, epoch milliseconds. */
  readonly brokerAt: number;
}

/** The SQL twin of `isLater`, in `ON CONFLICT ... DO UPDATE ... WHERE` of a table that is called `held` there. */
export const IS_LATER_THAN_HELD = `CASE
  WHEN excluded.source = held.source AND excluded.source_partition = held.source_partition
  THEN excluded.source_offset > held.source_offset
  ELSE (excluded.broker_at, excluded.source, excluded.source_partition)
     > (held.broker_at, held.source, held.source_partition) END`;

function isLater(a: LogPlace, b: LogPlace): boolean {
  if (a.source === b.source && a.partition === b.partition) return a.offset > b.offset;
  if (a.brokerAt !== b.brokerAt) return a.brokerAt > b.brokerAt;
  const order = Buffer.compare(Buffer.from(a.source), Buffer.from(b.source));
  return order === 0 ? a.partition > b.partition : order > 0;
}

/** The last record of each key. */
export function lastOfEach<Placed extends LogPlace>(
  placed: readonly Placed[],
  keyOf: (one: Placed) => string,
): Placed[] {
  const last = new Map<string, Placed>();
  for (const one of placed) {
    const known = last.get(keyOf(one));
    if (known === undefined || isLater(one, known)) last.set(keyOf(one), one);
  }
  return [...last.values()];
}
