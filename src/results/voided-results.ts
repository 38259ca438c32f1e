/**
 * Results that were taken back, so that a copy that comes later is not counted first and taken out again a moment later.
 * In memory: a consumer meets the voids of the partitions it reads, and truth has those of before it began. A void that
 * went by another partition than its result, to another process, is not known here. Its copies show until a recompute
 * record is read, which truth writes behind each of them and which makes boards right in any case. Costs nothing per
 * result where nothing was voided.
 */

export interface VoidedIdentity {
  readonly matchId: string;
  readonly playerId: string;
}

/** Truth's side. */
export interface VoidReader {
  /** Voids that the log stamped at or after an instant, epoch milliseconds. */
  voidedSince(since: number): Promise<readonly VoidedIdentity[]>;
}

export class VoidedResults {
  private readonly known = new Set<string>();

  constructor(
    private readonly truth: VoidReader,
    private readonly maxLatenessMs: number,
  ) {}

  /** Older ones matter no more: copies of their results are too late. Waits for nobody: truth may be away, and boards go on. */
  load(now: number): void {
    const since = now - this.maxLatenessMs - CLOCKS_APART_MS;
    this.truth.voidedSince(since).then(
      (identities) => {
        for (const identity of identities) this.add(identity);
      },
      () => undefined,
    );
  }

  add(identity: VoidedIdentity): void {
    this.known.add(nameOf(identity));
  }

  has(identity: VoidedIdentity): boolean {
    return this.known.size > 0 && this.known.has(nameOf(identity));
  }
}

const CLOCKS_APART_MS = 3_600_000;

/** Ids have no control characters. */
function nameOf({ matchId, playerId }: VoidedIdentity): string {
  return `${matchId}\n${playerId}`;
}
