/** Why a group is not ready: several troubles at once, told as one sentence. */

import type { LogReports } from './reports.js';

export class Problems {
  private readonly problems = new Map([['assignment', 'not assigned yet']]);
  private told: string | undefined;

  constructor(
    private readonly name: string,
    private readonly reports: LogReports,
  ) {
    this.tell();
  }

  /** `undefined`: this trouble is over. */
  set(subject: string, problem: string | undefined): void {
    if (problem !== undefined) this.problems.set(subject, problem);
    else if (!this.problems.delete(subject)) return;
    this.tell();
  }

  /** An assignment is known: what was said about an earlier one is over, but not `kept`. */
  keepOnly(kept: readonly string[]): void {
    for (const subject of this.problems.keys()) if (!kept.includes(subject)) this.problems.delete(subject);
    this.tell();
  }

  private tell(): void {
    const reasons = [...new Set(this.problems.values())];
    const reason = reasons.slice(0, 2).join('; ');
    if (reason === this.told) return;
    this.told = reason;
    if (reason === '') this.reports.ready(this.name);
    else this.reports.notReady(this.name, reason);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
