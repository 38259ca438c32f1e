/** The boards file, YAML or JSON, to a checked set of modes, boards and seasons. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { toBoardSet } from './boards/board-set.js';
import { describeIssue, findProblems, findTightBoards } from './boards/boards-problems.js';
import { boardsFileSchema } from './boards/boards-schema.js';
import { DEFAULT_BOARDS } from './boards/default-boards.js';
import type { Board, BoardSet } from './domain/board.js';
import { StartRefusedError } from './domain/errors.js';

/** Reads the file, or the built-in one where there is none. Throws `StartRefusedError` as `readBoards` does. */
export function loadBoards(file: string | null = null): BoardSet {
  if (file === null) return readBoards(DEFAULT_BOARDS, 'the built-in boards file');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartRefusedError(`boards file ${file} cannot be read: ${why}`);
  }
  return readBoards(text, `boards file ${file}`);
}

/** Throws `StartRefusedError` with one sentence that names each wrong path in the file. `source` begins the sentence. */
export function readBoards(text: string, source = 'the boards file'): BoardSet {
  const parsed = boardsFileSchema.safeParse(parseText(text, source), { reportInput: true });
  if (!parsed.success) return refuse(source, parsed.error.issues.map(describeIssue));
  const file = parsed.data;
  const problems = findProblems(file);
  if (problems.length > 0) return refuse(source, problems);
  const boardSet = toBoardSet(file);
  const tight = findTightBoards(boardSet);
  return tight.length > 0 ? refuse(source, tight) : boardSet;
}

/** The board a reader means who names none: the first of the file. */
export function defaultBoard(boardSet: BoardSet): Board {
  const [board] = boardSet.boards;
  if (board === undefined) throw new Error('a boards file has at least one board; it is checked for it');
  return board;
}

function parseText(text: string, source: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return refuse(source, [`neither YAML nor JSON: ${why.replace(/:$/, '')}`]);
  }
}

function refuse(source: string, problems: readonly string[]): never {
  throw new StartRefusedError(`${source} is wrong: ${problems.join('; ')}`);
}
