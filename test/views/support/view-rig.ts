/** A view over a ranking of the test, and what it told. */

import { pino } from 'pino';
import { expect, vi } from 'vitest';
import type { Entry, Standing } from '../../../src/domain/change.js';
import { type ListRef, SEASON_LIST } from '../../../src/domain/lists.js';
import { BoardView, type ReloadCause } from '../../../src/views/board-view.js';
import type { RankingReader, ReadRows } from '../../../src/views/ranking-reader.js';
import type { PlayerWatcher, TrackedPlayer } from '../../../src/views/tracked-player.js';

export const LIST: ListRef = {
  tag: { boardId: 'arena', seasonId: '1' },
  definitionHash: 'hash',
  list: SEASON_LIST,
};

/** Knows of each player what a client would: his standing when the watch began, then what it was told. */
export class Recorder implements PlayerWatcher {
  watcherNumber = 0;
  readonly moves: string[] = [];
  /** Broker times told with the moves. */
  readonly times: (number | null)[] = [];
  readonly known = new Map<TrackedPlayer, Standing>();

  note(players: readonly TrackedPlayer[]): void {
    for (const player of players) {
      this.known.set(player, { playerId: player.playerId, score: player.score, rank: player.rank });
    }
  }

  playerMoved(player: TrackedPlayer, at: number | null): void {
    this.moves.push(`${player.playerId} ${player.prevRank}>${player.rank}`);
    this.times.push(at);
    this.note([player]);
  }

  standings(): Standing[] {
    return [...this.known.values()];
  }
}

export class ViewRig {
  readonly reloads: ReloadCause[] = [];
  readonly resets: number[] = [];
  /** How many rows the top had at each `topChanged`. */
  readonly topLengths: number[] = [];
  /** How many of those did not show all they should. */
  shortTops = 0;
  /** The total at each `totalChanged`. */
  readonly totals: number[] = [];
  readonly view: BoardView;

  constructor(
    readonly ranking: RankingReader,
    readonly topSize = 3,
    list: ListRef = LIST,
  ) {
    this.view = new BoardView({
      list,
      topSize,
      reader: ranking,
      logger: pino({ level: 'silent' }),
      listener: {
        topChanged: () => {
          const { length } = this.view.topRows(topSize);
          this.topLengths.push(length);
          if (length < Math.min(topSize, this.view.total)) this.shortTops += 1;
        },
        totalChanged: () => this.totals.push(this.view.total),
        reset: () => this.resets.push(this.view.epoch),
      },
      countReload: (why) => this.reloads.push(why),
    });
  }

  static async current(ranking: RankingReader, topSize = 3): Promise<ViewRig> {
    const rig = new ViewRig(ranking, topSize);
    rig.view.start();
    await rig.view.whenCurrent();
    return rig;
  }

  /** Until the view has told of all moves by others, at its own pace; timers are held. */
  async settle(): Promise<void> {
    await vi.advanceTimersByTimeAsync(750);
  }

  expectTop(rows: readonly Entry[]): void {
    expect(this.view.topRows(this.topSize).map(({ playerId, score }) => [playerId, score])).toEqual(
      rows.slice(0, this.topSize).map(({ playerId, score }) => [playerId, score]),
    );
    expect(this.view.total).toBe(rows.length);
  }
}

/** Lets `count` rounds of promise callbacks pass. */
export async function microtasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await Promise.resolve();
}

/** Until the event loop has gone round a few times: whatever waits for no timer is done then. */
export async function turns(count = 4): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

export function standingsOf(players: readonly TrackedPlayer[]): Standing[] {
  return players.map(({ playerId, score, rank }) => ({ playerId, score, rank }));
}

/** Timers of the views and their clock run by hand; promises and the event loop stay real. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
}

export function rowsOf<Row>(reading: ReadRows<Row> | null): readonly Row[] {
  if (reading === null) throw new Error('expected a filled board');
  return reading.rows;
}
