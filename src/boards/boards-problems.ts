/** What can be wrong in a boards file, each as a path in the file and what to do about it. */

import type { z } from 'zod';
import { nearestName } from '../config/nearest-name.js';
import { type BoardSet, maxPointsOf } from '../domain/board.js';
import { scoreLayout } from '../domain/packed-score.js';
import { type BoardsFile, KEYS_UNDER } from './boards-schema.js';

/** `boards[0].modes: what to do`. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const at = showPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const parent = issue.path.findLast((part) => typeof part === 'string') ?? '';
    return `${at}: ${key} is not a key of this version (did you mean ${nearestName(key, KEYS_UNDER[parent] ?? [])}?)`;
  }
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.path.length > 0) return `${at}: is missing`;
  return `${at}: ${issue.message}`;
}

/** Problems that span several keys. */
export function findProblems(file: BoardsFile): string[] {
  return [
    ...findRepeats('modes', file.modes),
    ...findRepeats('boards', file.boards),
    ...findRepeats('calendar.seasons', file.calendar.seasons),
    ...file.modes.flatMap(({ points }, index) =>
      points.min > points.max ? [`modes[${index}].points: min ${points.min} is above max ${points.max}`] : [],
    ),
    ...file.boards.flatMap((board, index) => findUnknownModes(`boards[${index}]`, board.modes, file)),
    ...findSeasonProblems(file.calendar.seasons),
  ];
}

/** Boards whose points and time do not fit into one score in some season. */
export function findTightBoards(boardSet: BoardSet): string[] {
  return boardSet.boards.flatMap((board, index) =>
    boardSet.calendar.seasons.flatMap((season) => {
      try {
        scoreLayout(maxPointsOf(board, boardSet.modes), season);
        return [];
      } catch (error) {
        if (error instanceof RangeError) return [`boards[${index}]: ${error.message}`];
        throw error;
      }
    }),
  );
}

function findRepeats(path: string, items: readonly { readonly id: string }[]): string[] {
  return items.flatMap(({ id }, index) =>
    items.findIndex((other) => other.id === id) < index ? [`${path}[${index}].id: ${id} is there already`] : [],
  );
}

function findUnknownModes(path: string, modes: readonly string[], file: BoardsFile): string[] {
  const known = file.modes.map((mode) => mode.id);
  return modes.flatMap((mode, index) => {
    if (modes.indexOf(mode) < index) return [`${path}.modes[${index}]: ${mode} is named twice`];
    if (known.includes(mode)) return [];
    const nearest = nearestName(mode, known);
    return [`${path}.modes[${index}]: mode ${mode} is not declared under modes (did you mean ${nearest}?)`];
  });
}

function findSeasonProblems(seasons: BoardsFile['calendar']['seasons']): string[] {
  return seasons.flatMap((season, index) => {
    const at = `calendar.seasons[${index}]`;
    if (season.endsAt <= season.startsAt) return [`${at}: endsAt must be later than startsAt`];
    const before = seasons[index - 1];
    if (before === undefined || season.startsAt >= before.endsAt) return [];
    return [`${at}: starts before season ${before.id} ends: put seasons in the order of time, without overlap`];
  });
}

function showPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'at the top';
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text.startsWith('.') ? text.slice(1) : text;
}
