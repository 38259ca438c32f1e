/** What can be wrong in a boards file, each as a path in the file and what to do about it. */

import type { z } from 'zod';
import { nearestName } from '../config/nearest-name.js';
import { type BoardSet, scoreLayoutOf } from '../domain/board.js';
import { fieldsOf } from './board-set.js';
import { type BoardsFile, type FileBoard, type FileMode, keysAt } from './boards-schema.js';
import { findKeyProblems } from './key-problems.js';
import { findListProblems } from './list-problems.js';
import { findTierProblems } from './tier-problems.js';

/** `boards[0].modes: what to do`. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  const at = showPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return `${at}: ${key} is not a key of this version (did you mean ${nearestName(key, keysAt(issue.path))}?)`;
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
    ...file.modes.flatMap((mode, index) => findFieldProblems(`modes[${index}]`, mode)),
    ...file.boards.flatMap((board, index) => findBoardProblems(`boards[${index}]`, board, file)),
    ...findSeasonProblems(file.calendar.seasons),
  ];
}

/** Boards whose keys and time do not fit into one score in some season. */
export function findTightBoards(boardSet: BoardSet): string[] {
  return boardSet.boards.flatMap((board, index) =>
    boardSet.calendar.seasons.flatMap((season) => {
      try {
        scoreLayoutOf(board, boardSet.modes, season);
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

function findFieldProblems(path: string, mode: FileMode): string[] {
  const { points, fields } = mode;
  if (points === undefined && fields === undefined)
    return [`${path}: must have points, or fields where it has several`];
  if (points !== undefined && fields !== undefined) return [`${path}: has points and fields: only one of them can be`];
  const parent = points === undefined ? `${path}.fields` : path;
  return Object.entries(fieldsOf(mode)).flatMap(([name, { min, max }]) =>
    min > max ? [`${parent}.${name}: min ${min} is above max ${max}`] : [],
  );
}

function findBoardProblems(path: string, board: FileBoard, file: BoardsFile): string[] {
  return [
    ...findUnknownModes(path, board.modes, file),
    ...findKeyProblems(path, board, file),
    ...findListProblems(path, board),
    ...findTierProblems(path, board),
  ];
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
