/** All that a run sent, as it should count: results without those taken back, with the points that were put right. */

export interface PlayedResult {
  readonly matchId: string;
  readonly playerId: string;
  readonly points: number;
  /** Epoch milliseconds. */
  readonly achievedAt: number;
  /** The value of each scope that the board has, such as `{ guild: '77' }`. */
  readonly scopes: Readonly<Record<string, string>>;
}

export class PlayedResults {
  private readonly hidden = new Set<string>();
  private readonly onceHidden = new Set<string>();
  private readonly byMatch = new Map<string, PlayedResult>();
  private readonly voided = new Set<string>();
  private readonly corrected = new Map<string, number>();

  get size(): number {
    return this.byMatch.size;
  }

  /** A match that was added before stays as it was. */
  add(result: PlayedResult): void {
    if (!this.byMatch.has(result.matchId)) this.byMatch.set(result.matchId, result);
  }

  find(matchId: string): PlayedResult | undefined {
    return this.byMatch.get(matchId);
  }

  hide(playerId: string): void {
    this.hidden.add(playerId);
    this.onceHidden.add(playerId);
  }

  unhide(playerId: string): void {
    this.hidden.delete(playerId);
  }

  /** Now, or at any time before. */
  wasHidden(playerId: string): boolean {
    return this.onceHidden.has(playerId);
  }

  /** For good, also before the result. */
  void(matchId: string): void {
    this.voided.add(matchId);
  }

  /** The last one counts, also before the result. */
  correct(matchId: string, points: number): void {
    this.corrected.set(matchId, points);
  }

  /** What counts on boards that rank players. */
  *counting(): Generator<PlayedResult> {
    for (const result of this.byMatch.values()) {
      if (this.voided.has(result.matchId) || this.hidden.has(result.playerId)) continue;
      const points = this.corrected.get(result.matchId);
      yield points === undefined ? result : { ...result, points };
    }
  }
}
