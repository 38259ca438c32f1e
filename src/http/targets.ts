/** Which board and season a request means, and how its scores are read. */

import { type Board, type BoardSet, scoreLayoutOf } from '../domain/board.js';
import type { ScoreLayout } from '../domain/packed-score.js';
import { currentSeason, type Season } from '../domain/season.js';
import type { Tag } from '../domain/tag.js';
import { Problem } from './problem.js';

/** One list that can be read. */
export interface Target {
  readonly board: Board;
  readonly season: Season;
  readonly tag: Tag;
  readonly layout: ScoreLayout;
}

export interface Targets {
  readonly boardSet: BoardSet;
  /** The server's clock, epoch milliseconds. */
  readonly now: () => number;
}

/** Throws a 404 `Problem` for an undeclared board or season; no season named: the current one. */
export function findTarget(targets: Targets, boardId: string, seasonId: string | undefined): Target {
  const board = findBoard(targets.boardSet, boardId);
  const { calendar } = targets.boardSet;
  if (seasonId === undefined) return targetOf(targets, board, currentSeason(calendar, targets.now()));
  const season = calendar.seasons.find((candidate) => candidate.seasonId === seasonId);
  if (season !== undefined) return targetOf(targets, board, season);
  throw new Problem('not-found', `no season ${show(seasonId)} is declared in the boards file`);
}

/** Throws a 404 `Problem`. */
export function findBoard(boardSet: BoardSet, boardId: string): Board {
  const board = boardSet.boards.find((candidate) => candidate.boardId === boardId);
  if (board !== undefined) return board;
  throw new Problem('not-found', `no board ${show(boardId)} is declared in the boards file`);
}

export function targetOf({ boardSet }: Targets, board: Board, season: Season): Target {
  const layout = scoreLayoutOf(board, boardSet.modes, season);
  return { board, season, tag: { boardId: board.boardId, seasonId: season.seasonId }, layout };
}

/** A name from a URL goes back to its sender cut short. */
function show(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
