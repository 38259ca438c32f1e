/**
 * Results that were acknowledged, kept as text outside of the heap until the reckoning reads them: a million objects that stay would
 * make every collection of the generator's heap a pause, which looks like one of the server.
 */

/** A result as it went out. */
export interface SentResult {
  readonly matchId: string;
  readonly playerId: string;
  readonly points: number;
  /** Epoch milliseconds. */
  readonly achievedAt: number;
}

export class SentResults implements Iterable<SentResult> {
  /** One for each request. */
  private readonly parts: Buffer[] = [];
  private count = 0;

  get length(): number {
    return this.count;
  }

  add(results: readonly SentResult[]): void {
    this.count += results.length;
    this.parts.push(Buffer.from(JSON.stringify(results.map(toRow))));
  }

  /** In the order of the acknowledgements. */
  *[Symbol.iterator](): Iterator<SentResult> {
    for (const part of this.parts) {
      for (const [matchId, playerId, points, achievedAt] of JSON.parse(part.toString()) as Row[]) {
        yield { matchId, playerId, points, achievedAt };
      }
    }
  }
}

type Row = readonly [matchId: string, playerId: string, points: number, achievedAt: number];

function toRow({ matchId, playerId, points, achievedAt }: SentResult): Row {
  return [matchId, playerId, points, achievedAt];
}
