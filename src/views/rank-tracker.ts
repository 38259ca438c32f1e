/**
 * The exact rank of every watched player, by crossing counts: a change moves exactly those whose order key lies
 * between its old and its new one. Two binary searches per change and one prefix sum per settling; no reads.
 *
 * Between settlings a player's own change sets his rank at once (the change carries it); the moves caused by others
 * since then are counted when the tick is settled.
 */

import type { Change } from '../domain/change.js';
import { isKeyAbove, type TrackedPlayer } from './tracked-player.js';

/**
 * Settling compares the unsorted players with the tick's later changes one by one, some 10 ns each: a tick ends before
 * that takes longer than a few milliseconds.
 */
const MAX_TICK_CHANGES = 1_000;
const MAX_TICK_COMPARISONS = 200_000;

export class RankTracker {
  private readonly players = new Map<string, TrackedPlayer>();
  /** Ranked players by order key, as of the last settling. */
  private sorted: TrackedPlayer[] = [];
  /** Scores of `sorted` at the last settling; a player's own change must not disturb the order of the array. */
  private sortedScores = new Float64Array(0);
  /** Changes since the last settling. */
  private tick: Change[] = [];
  /** Players who are not (rightly) in `sorted`, with the tick index from which others' changes count for them. */
  private readonly unsorted = new Map<TrackedPlayer, number>();
  /** Players moved by others since they were last told of; their `prevRank` is the rank that was told. */
  private readonly moved = new Set<TrackedPlayer>();
  private hasReleased = false;

  /** How many of those whom others moved nobody was told of yet. */
  get movedCount(): number {
    return this.moved.size;
  }

  get size(): number {
    return this.players.size;
  }

  get(playerId: string): TrackedPlayer | undefined {
    return this.players.get(playerId);
  }

  /** Whether others moved him, in his rank already, since `takeMoved` last told of it. */
  hasUntoldMove(player: TrackedPlayer): boolean {
    return this.moved.has(player);
  }

  /** Takes one change, in order of seq; answers the tracked player whose own row it is. */
  fold(change: Change): TrackedPlayer | undefined {
    if (this.isTickFull()) this.settle();
    this.tick.push(change);
    const player = this.players.get(change.playerId);
    if (player === undefined) return undefined;
    player.applyOwnChange(change);
    // Whoever watches him is told of this change at once, with all that came before it.
    this.moved.delete(player);
    this.unsorted.set(player, this.tick.length);
    return player;
  }

  /** Adds players whose standing is exact with all folded changes applied. */
  add(players: readonly TrackedPlayer[]): void {
    for (const player of players) {
      this.players.set(player.playerId, player);
      this.unsorted.set(player, this.tick.length);
    }
  }

  private isTickFull(): boolean {
    const { length } = this.tick;
    return length >= MAX_TICK_CHANGES || length * this.unsorted.size >= MAX_TICK_COMPARISONS;
  }

  release(player: TrackedPlayer): void {
    if (this.players.get(player.playerId) === player) this.players.delete(player.playerId);
    this.unsorted.delete(player);
    this.moved.delete(player);
    this.hasReleased = true;
  }

  /** Forgets everybody, before a reload; answers who was tracked. */
  clear(): TrackedPlayer[] {
    const players = [...this.players.values()];
    this.players.clear();
    this.sorted = [];
    this.sortedScores = new Float64Array(0);
    this.tick = [];
    this.unsorted.clear();
    this.moved.clear();
    this.hasReleased = false;
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
    const moved: TrackedPlayer[] = [];
    let left = watchers;
    for (const player of this.moved) {
      if (left <= 0) break;
      this.moved.delete(player);
      left -= player.watcherCount;
      // Released players stay in `sorted` until the next settling.
      if (this.players.get(player.playerId) !== player) continue;
      moved.push(player);
    }
    return moved;
  }

  settle(): void {
    if (this.tick.length > 0) {
      this.shiftSorted();
      this.shiftUnsorted();
      this.tick = [];
    }
    if (this.unsorted.size > 0 || this.hasReleased) this.sortIn();
  }

  /** One prefix sum over `sorted`: from each change's new place on down everybody falls, from its old place on rises. */
  private shiftSorted(): void {
    const steps = new Int32Array(this.sorted.length + 1);
    for (const change of this.tick) {
      if (change.score !== null) this.addStep(steps, this.countAbove(change.score, change.playerId), 1);
      if (change.scoreBefore !== null) this.addStep(steps, this.countAbove(change.scoreBefore, change.playerId), -1);
    }
    let places = 0;
    for (let i = 0; i < this.sorted.length; i++) {
      places += steps[i] ?? 0;
      const player = this.sorted[i];
      if (places !== 0 && player !== undefined && !this.unsorted.has(player)) this.shift(player, places);
    }
  }

  private addStep(steps: Int32Array, index: number, step: number): void {
    steps[index] = (steps[index] ?? 0) + step;
  }

  private shiftUnsorted(): void {
    for (const [player, fromIndex] of this.unsorted) {
      let places = 0;
      for (let i = fromIndex; i < this.tick.length; i++) {
        const change = this.tick[i];
        if (change !== undefined) places += player.placesMovedBy(change);
      }
      if (places !== 0) this.shift(player, places);
    }
  }

  private shift(player: TrackedPlayer, places: number): void {
    // Several settlings are told of as one move: from the rank told last, whatever was in between.
    if (!this.moved.has(player)) player.prevRank = player.rank;
    this.moved.add(player);
    player.shift(places);
  }

  /** How many of `sorted`, by their keys at the last settling, stand above the key. */
  private countAbove(score: number, playerId: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isSortedAbove(middle, score, playerId)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private isSortedAbove(index: number, score: number, playerId: string): boolean {
    const key = this.sortedScores[index];
    const player = this.sorted[index];
    return key !== undefined && player !== undefined && isKeyAbove(key, player.playerId, score, playerId);
  }

  private sortIn(): void {
    const kept = this.sorted.filter(
      (player) => !this.unsorted.has(player) && this.players.get(player.playerId) === player,
    );
    const added = [...this.unsorted.keys()].filter((player) => player.score !== null).sort(compareTracked);
    this.sorted = merge(kept, added);
    this.sortedScores = Float64Array.from(this.sorted, (player) => player.score ?? 0);
    this.unsorted.clear();
    this.hasReleased = false;
  }
}

function compareTracked(a: TrackedPlayer, b: TrackedPlayer): number {
  return isKeyAbove(a.score ?? 0, a.playerId, b.score ?? 0, b.playerId) ? -1 : 1;
}

/** Merges two sorted arrays; sorting the whole would cost more each tick. */
function merge(kept: readonly TrackedPlayer[], added: readonly TrackedPlayer[]): TrackedPlayer[] {
  if (added.length === 0) return [...kept];
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
