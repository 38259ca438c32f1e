/** One player whose standing somebody on this gateway watches: himself, his friends. */

import type { Change } from '../domain/change.js';
import { isKeyAbove } from '../domain/order-key.js';
import type { CrossingMark } from './crossing-counts.js';
import { NO_CHUNK } from './number-lists.js';

/** Told about each move of a player it watches; the windows of the gateway are the watchers. */
export interface PlayerWatcher {
  /** Its number among those of its view, 0 where it watches nobody; the view sets it. */
  watcherNumber: number;
  /**
   * `at`: broker time of the player's own result that moved him; `null` where others did. Must not make anybody watch or leave:
   * the numbers of those who are still to be told would be those of others.
   */
  playerMoved(player: TrackedPlayer, at: number | null): void;
}

export class TrackedPlayer {
  /** His list among those of `Watchers`, which sets both. */
  firstWatchers = NO_CHUNK;
  watcherCount = 0;
  /** Of `RankTracker`, which sets the four: whether it keeps his rank; */
  isTracked = false;
  /** whether others moved him and nobody was told of it yet; */
  isMoved = false;
  /** whether he waits for his place among its sorted players, */
  isUnsorted = false;
  /** and from when on others' changes count for him until then, `null` where he has no row. */
  mark: CrossingMark | null = null;
  /** Broker time of his last change seen here, epoch milliseconds. */
  at: number | null = null;
  /** Rank before the last move, or the one told before those by others that nobody was told of yet; `null`: not known. */
  prevRank: number | null = null;
  /** The number by which whoever writes rows names him; 0 until given one. It goes when nobody watches him any more. */
  ref = 0;
  /** Places for whoever writes this row for many watchers to keep the bytes, without and with the id; emptied by each move. */
  encoded: Uint8Array | null = null;
  encodedFirst: Uint8Array | null = null;

  constructor(
    readonly playerId: string,
    /** Packed score, `null` where he is not ranked. */
    public score: number | null,
    public rank: number | null,
    /** Nobody but himself is to see that he is there. */
    public isHidden = false,
  ) {}

  /** His own row changed: the change carries his exact rank at its seq. */
  applyOwnChange(change: Change): void {
    this.score = change.score;
    this.rank = change.rank;
    this.prevRank = change.rankBefore;
    this.at = change.at;
    // Who is shown again comes with his row; one without any stays as he is until he is read anew.
    this.isHidden = change.score === null && (change.label === 'hide' || this.isHidden);
    this.forgetEncoded();
  }

  /** A new history says where he stands; how he got there is not known in it. */
  restate({ score, rank, isHidden }: Pick<TrackedPlayer, 'score' | 'rank' | 'isHidden'>): void {
    this.isHidden = isHidden;
    this.score = score;
    this.rank = rank;
    this.prevRank = null;
    this.at = null;
    this.forgetEncoded();
  }

  /** Others moved him by so many places (positive: down). `prevRank` is the caller's, who knows what was told. */
  shift(places: number): void {
    if (this.rank === null || places === 0) return;
    this.rank += places;
    this.forgetEncoded();
  }

  /** By each move, and by whoever keeps the bytes. */
  forgetEncoded(): void {
    this.encoded = null;
    this.encodedFirst = null;
  }

  /** By how many places one change of somebody else moves him. */
  placesMovedBy(change: Change): number {
    if (this.score === null || change.playerId === this.playerId) return 0;
    const wasAbove = change.scoreBefore !== null && this.isBelow(change.scoreBefore, change.playerId);
    const isAbove = change.score !== null && this.isBelow(change.score, change.playerId);
    return Number(isAbove) - Number(wasAbove);
  }

  private isBelow(score: number, playerId: string): boolean {
    return this.score !== null && isKeyAbove(score, playerId, this.score, this.playerId);
  }
}
