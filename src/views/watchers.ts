/** Who watches which player: both by numbers, since there are some 200 such pairs for each window of friends. */

import { NumberLists } from './number-lists.js';
import type { PlayerWatcher, TrackedPlayer } from './tracked-player.js';

/** The number of nobody. */
export const NO_NUMBER = 0;

export class Watchers {
  private readonly numbersOfPlayers = new NumberLists();
  /** By number; `null` where the number is free. */
  private readonly watchers: (PlayerWatcher | null)[] = [null];
  /** How many players the watcher of each number watches: with the last of them its number is free. */
  private readonly playerCounts: number[] = [0];
  private readonly freeNumbers: number[] = [];
  /** Of the player who is being told about. */
  private readonly told: number[] = [];

  /** Watchers that watch somebody. */
  get size(): number {
    return this.watchers.length - 1 - this.freeNumbers.length;
  }

  /** Harmless where it watches him already. */
  add(player: TrackedPlayer, watcher: PlayerWatcher): void {
    const { firstWatchers, watcherCount } = player;
    const number = this.numberOf(watcher);
    if (this.numbersOfPlayers.has(firstWatchers, watcherCount, number)) return;
    player.firstWatchers = this.numbersOfPlayers.add(firstWatchers, watcherCount, number);
    player.watcherCount += 1;
    this.playerCounts[number] = (this.playerCounts[number] ?? 0) + 1;
  }

  /** Harmless where it does not watch him. */
  remove(player: TrackedPlayer, watcher: PlayerWatcher): void {
    const { firstWatchers, watcherCount } = player;
    const number = watcher.watcherNumber;
    if (number === NO_NUMBER || !this.numbersOfPlayers.has(firstWatchers, watcherCount, number)) return;
    player.firstWatchers = this.numbersOfPlayers.remove(firstWatchers, watcherCount, number);
    player.watcherCount -= 1;
    const left = (this.playerCounts[number] ?? 0) - 1;
    this.playerCounts[number] = left;
    if (left === 0) this.free(watcher);
  }

  /** Tells those who watch him of his move. */
  tell(player: TrackedPlayer, at: number | null): void {
    const { told } = this;
    const { watcherCount } = player;
    this.numbersOfPlayers.copy(player.firstWatchers, watcherCount, told);
    for (let i = 0; i < watcherCount; i += 1) this.watchers[told[i] ?? NO_NUMBER]?.playerMoved(player, at);
  }

  private numberOf(watcher: PlayerWatcher): number {
    if (watcher.watcherNumber !== NO_NUMBER) return watcher.watcherNumber;
    const number = this.freeNumbers.pop() ?? this.watchers.length;
    this.watchers[number] = watcher;
    this.playerCounts[number] = 0;
    watcher.watcherNumber = number;
    return number;
  }

  private free(watcher: PlayerWatcher): void {
    this.watchers[watcher.watcherNumber] = null;
    this.freeNumbers.push(watcher.watcherNumber);
    watcher.watcherNumber = NO_NUMBER;
  }
}
