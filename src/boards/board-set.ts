/** A file in the words of the domain: what its short forms stand for is written out. */

import { type Board, type BoardSet, type FieldRange, firstFieldOf, type Mode } from '../domain/board.js';
import { PERIODS } from '../domain/periods.js';
import type { BoardsFile, FileBoard, FileMode } from './boards-schema.js';
import { toTiers } from './tier-problems.js';

/** `file` was checked: what `findProblems` names is not looked for again. */
export function toBoardSet(file: BoardsFile): BoardSet {
  const modes = file.modes.map((mode) => ({ mode: mode.id, fields: fieldsOf(mode) }));
  return {
    modes,
    boards: file.boards.map((board) => toBoard(board, modes)),
    calendar: {
      seasons: file.calendar.seasons.map(({ id, startsAt, endsAt }) => ({ seasonId: id, startsAt, endsAt })),
      graceMs: file.calendar.grace,
    },
    maxLatenessMs: file.maxLateness,
  };
}

/** `points` is short for one field of that name. */
export function fieldsOf({ points, fields }: FileMode): Readonly<Record<string, FieldRange>> {
  return fields ?? (points === undefined ? {} : { points });
}

function toBoard(board: FileBoard, modes: readonly Mode[]): Board {
  const { id, title, rule, maxTotal, subject, zone, scopes, topSize } = board;
  const keys = board.keys ?? shortKeys(board, modes);
  return {
    boardId: id,
    title: title ?? id,
    modes: board.modes,
    rule,
    keys,
    maxTotal: maxTotal ?? null,
    subject,
    periods: PERIODS.filter((period) => board.periods.includes(period)),
    zone,
    scopes,
    topSize,
    tiers: toTiers(board.tiers, keys[0]?.order ?? 'high'),
  };
}

/** All modes of the board begin with the same field. */
function shortKeys({ modes: [first], order = 'high' }: FileBoard, modes: readonly Mode[]): Board['keys'] {
  return modes.filter(({ mode }) => mode === first).map((mode) => ({ field: firstFieldOf(mode), order }));
}
