/**
 * The exact rank of every watched player, by crossing counts: a change moves exactly those whose order key lies
 * between its old and its new one. Two binary searches per change and one prefix sum per settling; no reads.
 *
 * Between settlings a player's own change sets his rank at once (the change carries it); the moves caused by others
 * since then are counted when the tick is settled.
 */

import type { Change } from '../domain/change.js';
import { isKeyAbove } from '../domain/order-key.js';
import { CrossingCounts } from './crossing-counts.js';
import type { TrackedPlayer } from './tracked-player.js';

/** A tick ends before the looks at single rows at its end take longer than a few milliseconds, at some 10 ns each. */
const MAX_TICK_COMPARISONS = 200_000;

export class RankTracker {
  private readonly players = new Map<string, TrackedPlayer>();
  /** Ranked players by order key, as of the last settling; with some who were released since. */
  private sorted: readonly TrackedPlayer[] = [];
  /** Scores of `sorted` at the last settling; a player's own change must not disturb the order of the array. */
  private sortedScores = new Float64Array(0);
  /** Rows that came and left since the last settling. */
  private tick = this.newTick();
  /** Players who are not (rightly) in `sorted`, once each; also some who were released since. */
  private unsorted: TrackedPlayer[] = [];
  /**
   * Players moved by others since they were last told of; their `prevRank` is the rank that was told. From `nextMoved` on, with
   * some who were told of with a change of their own since.
   */
  private moved: TrackedPlayer[] = [];
  private nextMoved = 0;
  private hasReleased = false;

  /** How many of those whom others moved nobody was told of yet, at most. */
  get movedCount(): number {
    return this.moved.length - this.nextMoved;
  }

  get size(): number {
    return this.players.size;
  }

  get(playerId: string): TrackedPlayer | undefined {
    return this.players.get(playerId);
  }

  /** Some ranked players by chance, maybe one twice; none while nobody is ranked. */
  sample(count: number): readonly TrackedPlayer[] {
    const chosen = Array.from({ length: count }, () => this.sorted[Math.floor(Math.random() * this.sorted.length)]);
    return chosen.flatMap((player) => (player?.isTracked === true ? player : []));
  }

  /** Takes one change, in order of seq; answers the tracked player whose own row it is. */
  fold(change: Change): TrackedPlayer | undefined {
    if (this.tick.maxComparisons >= MAX_TICK_COMPARISONS) this.settle();
    this.tick.add(change);
    const player = this.players.get(change.playerId);
    if (player === undefined) return undefined;
    player.applyOwnChange(change);
    // Whoever watches him is told of this change at once, with all that came before it.
    player.isMoved = false;
    this.markNow(player);
    return player;
  }

  /** Adds players whose standing is exact with all folded changes applied. */
  add(players: readonly TrackedPlayer[]): void {
    for (const player of players) {
      this.players.set(player.playerId, player);
      player.isTracked = true;
      this.markNow(player);
    }
  }

  /** From now on others' changes count for him where he stands now. */
  private markNow(player: TrackedPlayer): void {
    const { score, playerId } = player;
    player.mark = score === null ? null : this.tick.mark(score, playerId);
    if (player.isUnsorted) return;
    player.isUnsorted = true;
    this.unsorted.push(player);
  }

  private newTick(): CrossingCounts {
    return new CrossingCounts(this.sortedScores, this.sorted);
  }

  release(player: TrackedPlayer): void {
    if (this.players.get(player.playerId) === player) this.players.delete(player.playerId);
    forget(player);
    this.hasReleased = true;
  }

  /** Forgets everybody, before a reload; answers who was tracked. */
  clear(): TrackedPlayer[] {
    const players = [...this.players.values()];
    for (const player of players) forget(player);
    this.players.clear();
    this.sorted = [];
    this.sortedScores = new Float64Array(0);
    this.unsorted = [];
    this.moved = [];
    this.nextMoved = 0;
    this.hasReleased = false;
    this.tick = this.newTick();
    return players;
  }

  /**
   * Brings every rank up to the last folded change and answers whom others moved since he was last told of, by this
   * answer or as the answer of `fold`. `prevRank` is the rank told then. Who is back at it is among them: a window that
   * was sent for another reason may have shown the rank in between.
   */
  takeMoved(): TrackedPlayer[] {
    this.settle();
    return this.takeSettled(Number.POSITIVE_INFINITY);
  }

  /** As `takeMoved`, of those whom the last settling knows of, until so many watchers are to be told; the others stay. */
  takeSettled(watchers: number): TrackedPlayer[] {
    const taken: TrackedPlayer[] = [];
    let left = watchers;
    while (left > 0 && this.nextMoved < this.moved.length) {
      const player = this.moved[this.nextMoved];
      this.nextMoved += 1;
      if (player?.isMoved !== true) continue;
      player.isMoved = false;
      left -= player.watcherCount;
      taken.push(player);
    }
    if (this.nextMoved === this.moved.length) {
      this.moved = [];
      this.nextMoved = 0;
    }
    return taken;
  }

  settle(): void {
    const hasMoves = this.tick.hasRows;
    if (hasMoves) {
      this.shiftSorted();
      this.shiftUnsorted();
    }
    const isUnsorted = this.unsorted.length > 0 || this.hasReleased;
    if (isUnsorted) this.sortIn();
    if (hasMoves || isUnsorted) this.tick = this.newTick();
  }

  /** One prefix sum over `sorted`: from each change's new place on down everybody falls, from its old place on rises. */
  private shiftSorted(): void {
    const { net } = this.tick;
    let places = 0;
    this.sorted.forEach((player, index) => {
      places += net[index] ?? 0;
      if (places !== 0 && player.isTracked && !player.isUnsorted) this.shift(player, places);
    });
  }

  private shiftUnsorted(): void {
    for (const player of this.unsorted) {
      const places = player.mark === null ? 0 : this.tick.placesSince(player.mark);
      if (places !== 0) this.shift(player, places);
    }
  }

  private shift(player: TrackedPlayer, places: number): void {
    // Several settlings are told of as one move: from the rank told last, whatever was in between.
    if (!player.isMoved) {
      player.isMoved = true;
      player.prevRank = player.rank;
      this.moved.push(player);
    }
    player.shift(places);
  }

  private sortIn(): void {
    const kept = this.sorted.filter((player) => player.isTracked && !player.isUnsorted);
    const added: TrackedPlayer[] = [];
    for (const player of this.unsorted) {
      if (player.isUnsorted && player.score !== null) added.push(player);
      player.isUnsorted = false;
      player.mark = null;
    }
    this.unsorted = [];
    this.hasReleased = false;
    this.sorted = merge(kept, added.sort(compareTracked));
    this.sortedScores = new Float64Array(this.sorted.length);
    this.sorted.forEach((player, index) => {
      this.sortedScores[index] = player.score ?? 0;
    });
  }
}

function forget(player: TrackedPlayer): void {
  player.isTracked = false;
  player.isUnsorted = false;
  player.isMoved = false;
  player.mark = null;
}

function compareTracked(a: TrackedPlayer, b: TrackedPlayer): number {
  return isKeyAbove(a.score ?? 0, a.playerId, b.score ?? 0, b.playerId) ? -1 : 1;
}

/** Merges two sorted arrays; sorting the whole would cost more each tick. */
function merge(kept: readonly TrackedPlayer[], added: readonly TrackedPlayer[]): readonly TrackedPlayer[] {
  if (added.length === 0) return kept;
  const merged: TrackedPlayer[] = [];
  let next = 0;
  for (const player of kept) {
    let candidate = added[next];
    while (candidate !== undefined && compareTracked(candidate, player) < 0) {
      merged.push(candidate);
      next += 1;
      candidate = added[next];
    }
    merged.push(player);
  }
  for (const player of added.slice(next)) merged.push(player);
  return merged;
}
