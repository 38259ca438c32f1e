/** What can be wrong with what orders a board: its keys, and the total of its rule. */

import { nearestName } from '../config/nearest-name.js';
import { fieldsOf } from './board-set.js';
import type { BoardsFile, FileBoard, FileMode } from './boards-schema.js';

/** `path` is the board's place in the file. Modes that are not declared are left out: they are a problem of their own. */
export function findKeyProblems(path: string, board: FileBoard, file: BoardsFile): string[] {
  const modes = file.modes.filter(({ id }) => board.modes.includes(id));
  return [
    ...(board.keys === undefined ? findUnclearKey(path, modes) : findWrongKeys(`${path}.keys`, board.keys, modes)),
    ...(board.keys !== undefined && board.order !== undefined
      ? [`${path}.order: is for boards without keys: say it with each key`]
      : []),
    ...findTotalProblems(path, board, modes),
  ];
}

function findUnclearKey(path: string, modes: readonly FileMode[]): string[] {
  const firsts = modes.map((mode) => ({ mode, field: Object.keys(fieldsOf(mode))[0] }));
  const [a] = firsts;
  const b = firsts.find(({ field }) => field !== a?.field);
  if (a === undefined || b === undefined) return [];
  const both = `mode ${a.mode.id} begins with ${a.field} and mode ${b.mode.id} with ${b.field}`;
  return [`${path}: ${both}: give keys to say what orders the board`];
}

function findWrongKeys(path: string, keys: NonNullable<FileBoard['keys']>, modes: readonly FileMode[]): string[] {
  return keys.flatMap(({ field }, index) => {
    const at = `${path}[${index}].field`;
    if (keys.findIndex((other) => other.field === field) < index) return [`${at}: ${field} is named twice`];
    const lacking = modes.find((mode) => !Object.hasOwn(fieldsOf(mode), field));
    if (lacking === undefined) return [];
    const nearest = nearestName(field, Object.keys(fieldsOf(lacking)));
    return [`${at}: ${field} is not a field of mode ${lacking.id} (did you mean ${nearest}?)`];
  });
}

function findTotalProblems(path: string, board: FileBoard, modes: readonly FileMode[]): string[] {
  const { rule, keys, maxTotal } = board;
  const at = `${path}.maxTotal`;
  if (rule !== 'sum') return maxTotal === undefined ? [] : [`${at}: is for rule sum, not for ${rule}`];
  const several =
    keys !== undefined && keys.length > 1 ? [`${path}.keys: rule sum takes one key, not ${keys.length}`] : [];
  if (maxTotal === undefined) return [...several, `${at}: is missing: rule sum must know where a total stops`];
  return [...several, ...findLargeResults(at, maxTotal, keys?.[0]?.field, modes)];
}

/** A result is packed before it is added, so it must fit by itself. `field`: the first one where it is not given. */
function findLargeResults(at: string, maxTotal: number, field: string | undefined, modes: readonly FileMode[]) {
  return modes.flatMap((mode) => {
    const fields = fieldsOf(mode);
    const max = fields[field ?? Object.keys(fields)[0] ?? '']?.max ?? 0;
    return max > maxTotal ? [`${at}: ${maxTotal} is less than the ${max} of a single result of mode ${mode.id}`] : [];
  });
}
