/** A list that somebody asked for by its id, and which one that is as time goes on. */

import { crc32 } from 'node:zlib';
import { ErrorCode } from '../../proto/frames.js';
import { type BoardSeason, listRef } from '../domain/board-season.js';
import { type ChosenList, chooseList, type ListChoice, NoSuchListError } from '../domain/list-choice.js';
import { type ListRef, SEASON_LIST } from '../domain/lists.js';
import { RefusedError } from './refusal.js';

export class WatchedList {
  private constructor(
    readonly boardSeason: BoardSeason,
    private readonly choice: ListChoice,
    /** What it is now. */
    readonly chosen: ChosenList,
  ) {}

  /** Throws `RefusedError`: 422 for what the board does not have in the season, 404 for what is gone. */
  static choose(boardSeason: BoardSeason, choice: ListChoice, now: number): WatchedList {
    try {
      return new WatchedList(boardSeason, choice, chooseList(boardSeason, choice, now));
    } catch (error) {
      if (!(error instanceof NoSuchListError)) throw error;
      throw new RefusedError(error.isGone ? ErrorCode.notFound : ErrorCode.badArgument, error.message);
    }
  }

  /** The same for two ids that always mean the same list. */
  get key(): string {
    const { name, scope } = this.chosen;
    const list = this.isFollowing ? `${this.choice.period?.kind} of now, ${scope ?? ''}` : name;
    return `${this.boardSeason.name} ${list}`;
  }

  get isSeasonList(): boolean {
    return this.chosen.name === SEASON_LIST;
  }

  get ref(): ListRef {
    return listRef(this.boardSeason, this.chosen.name);
  }

  /** Tells the lists of a tag apart, which share its epoch; 0 for that of the season. */
  get epochSalt(): number {
    return this.isSeasonList ? 0 : crc32(this.chosen.name);
  }

  /** Whether it is another list after midnight. */
  private get isFollowing(): boolean {
    return this.choice.period !== null && this.choice.period.label === null;
  }

  /** Its successor where its period is over; itself where it is not, and after the last one of its season. */
  at(now: number): WatchedList {
    if (!this.isFollowing || now < this.chosen.endsAt) return this;
    try {
      return WatchedList.choose(this.boardSeason, this.choice, now);
    } catch (error) {
      if (error instanceof RefusedError) return this;
      throw error;
    }
  }

  /** Whether its rows are gone. */
  isGone(now: number): boolean {
    const { keptUntil } = this.chosen;
    return keptUntil !== null && keptUntil <= now;
  }
}
