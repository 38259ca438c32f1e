/** Who won or lost how many places within the last minute. */

const SPAN_MS = 60_000;
const SAMPLE_EVERY_MS = 5_000;

interface Sample {
  readonly at: number;
  readonly rankById: ReadonlyMap<string, number>;
}

export interface PlacedPlayer {
  readonly playerId: string;
  readonly rank: number | null;
}

/** Places won (above 0) or lost (below 0); `new` where the player was not in the window a minute ago. */
export type Movement = number | 'new';

export class MovementBaseline {
  private samples: Sample[] = [];
  private epoch: number | null = null;

  /** Called with each picture; keeps one every 5 s. Another epoch is another history: movement begins anew. */
  record(players: readonly PlacedPlayer[], epoch: number, at: number): void {
    if (epoch !== this.epoch) this.samples = [];
    this.epoch = epoch;
    const newest = this.samples.at(-1);
    if (newest !== undefined && at - newest.at < SAMPLE_EVERY_MS) return;
    const ranked = players.flatMap(({ playerId, rank }): [string, number][] =>
      rank === null ? [] : [[playerId, rank]],
    );
    this.samples.push({ at, rankById: new Map(ranked) });
    // The first sample is the baseline: the newest that is a whole minute old, or what there is.
    while ((this.samples[1]?.at ?? Number.POSITIVE_INFINITY) <= at - SPAN_MS) this.samples.shift();
  }

  of(player: PlacedPlayer): Movement {
    const baseline = this.samples[0];
    if (baseline === undefined || player.rank === null) return 0;
    const before = baseline.rankById.get(player.playerId);
    return before === undefined ? 'new' : before - player.rank;
  }
}
