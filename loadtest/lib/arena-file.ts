/** A boards file of a run's own: the built-in board, under the rule that the run asks for. */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBoards } from '../../src/boards.js';
import type { BoardSet } from '../../src/domain/board.js';
import type { Rule } from '../../src/domain/rules.js';
import { LOG_FOLDER } from './server-process.js';

/** 21 bits of points, which leave 32 bits of time: 100 ms over five years. */
const MAX_POINTS = 2_097_151;

export interface ArenaFile {
  readonly path: string;
  readonly boardSet: BoardSet;
  remove(): Promise<void>;
}

/** `name` is the run's. */
export async function writeArenaFile(name: string, rule: Rule): Promise<ArenaFile> {
  const arena = { id: 'arena', modes: ['arena'], rule, ...(rule === 'sum' && { maxTotal: MAX_POINTS }), topSize: 100 };
  const season = { id: '1', startsAt: '2026-01-01T00:00:00Z', endsAt: '2031-01-01T00:00:00Z' };
  const text = JSON.stringify({
    modes: [{ id: 'arena', points: { min: 0, max: MAX_POINTS } }],
    boards: [arena],
    calendar: { seasons: [season] },
  });
  const file = path.join(LOG_FOLDER, `${name}.boards.json`);
  await mkdir(LOG_FOLDER, { recursive: true });
  await writeFile(file, text);
  return { path: file, boardSet: readBoards(text), remove: () => rm(file, { force: true }) };
}
