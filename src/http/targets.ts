/** Which board, season and list a request means, and how its scores are read. */

import type { Board } from '../domain/board.js';
import { type BoardSeason, type BoardSeasons, listRef } from '../domain/board-season.js';
import type { ListRef } from '../domain/lists.js';
import { readListQuery } from './list-query.js';
import { Problem } from './problem.js';
import type { Query } from './query.js';

/** One list that can be read. */
export interface Target {
  readonly boardSeason: BoardSeason;
  readonly list: ListRef;
  /** `d:2026-10-12` or `w:2026-W42`; `null`: the whole season. */
  readonly period: string | null;
  /** `guild:77`; `null`: everybody. */
  readonly scope: string | null;
}

export interface Targets {
  readonly seasons: BoardSeasons;
  /** The server's clock, epoch milliseconds. */
  readonly now: () => number;
}

/**
 * What `?season=`, `?period=` and `?scope=` of a board name. Throws a 404 `Problem` for an undeclared board or season, and
 * what `readListQuery` throws; no season named: the current one.
 */
export function findTarget(targets: Targets, boardId: string, query: Query): Target {
  const seasonId = query.get('season');
  const now = targets.now();
  const { boardSet } = targets.seasons;
  const board = findBoard(targets, boardId);
  const found = targets.seasons.find(board.boardId, seasonId, now);
  if (found === undefined) {
    const declared = boardSet.calendar.seasons.map((season) => season.seasonId).join(', ');
    throw new Problem('not-found', `no season ${show(seasonId ?? '')} is declared in the boards file (${declared})`);
  }
  const { name, period, scope } = readListQuery(found, query, now);
  return { boardSeason: found, list: listRef(found, name), period, scope };
}

/** The list of the whole season and everybody. */
export function seasonTarget(boardSeason: BoardSeason): Target {
  return { boardSeason, list: listRef(boardSeason), period: null, scope: null };
}

/** Throws a 404 `Problem`. */
export function findBoard({ seasons: { boardSet } }: Targets, boardId: string): Board {
  const board = boardSet.boards.find((candidate) => candidate.boardId === boardId);
  if (board !== undefined) return board;
  throw new Problem('not-found', `no board ${show(boardId)} is declared in the boards file`);
}

/** A name from a URL goes back to its sender cut short. */
function show(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
