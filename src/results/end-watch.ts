/** Notices a log that went back, one that ends below what was read of it, and does not forget it when it grows again. */

import type { Problems } from './problems.js';

export interface EndWatchOptions {
  readonly source: string;
  readonly group: string;
  /** How long an end has to be too low until it is sure. */
  readonly sureAfterMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told as `end <partition>`. */
  readonly problems: Problems;
}

export class EndWatch {
  private readonly options: EndWatchOptions;
  private readonly shortSince = new Map<number, number>();
  private readonly sure = new Map<number, string>();

  constructor(options: EndWatchOptions) {
    this.options = options;
  }

  /** Answers why nothing may be taken from the partition, if so; once it is sure, that is the answer until a restart. */
  judge(partition: number, end: number, next: number): string | undefined {
    const problem = this.problemOf(partition, end, next);
    this.options.problems.set(endSubject(partition), problem);
    return problem;
  }

  describe(partition: number, end: number, next: number): string {
    const { source, group } = this.options;
    return (
      `${source} partition ${partition} ends at ${end}, but ${group} has read up to ${next}: was the topic recreated, ` +
      'or is this the database of another one? Bring the old log back, or use another topic or schema.'
    );
  }

  isSure(partition: number): boolean {
    return this.sure.has(partition);
  }

  private problemOf(partition: number, end: number, next: number): string | undefined {
    const sure = this.sure.get(partition);
    if (sure !== undefined) return sure;
    if (end >= next) {
      this.shortSince.delete(partition);
      return undefined;
    }
    const { sureAfterMs, now } = this.options;
    const since = this.shortSince.get(partition) ?? now();
    this.shortSince.set(partition, since);
    const problem = this.describe(partition, end, next);
    if (now() - since < sureAfterMs) return problem;
    // Once the new log has grown past `next`, nothing would show that what lies between was never read.
    this.sure.set(partition, `${problem} Nothing more is taken from it before a restart.`);
    return this.sure.get(partition);
  }
}

export function endSubject(partition: number): string {
  return `end ${partition}`;
}
