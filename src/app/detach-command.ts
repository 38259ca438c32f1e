/** `rankcast detach`: takes old days out of the table of results, beside the running servers. */

import type { Logger } from 'pino';
import { loadBoards } from '../boards.js';
import type { Config } from '../config.js';
import { BoardSeasons } from '../domain/board-season.js';
import { UsageError } from '../domain/errors.js';
import { Lifecycle } from '../ops/lifecycle.js';
import { detachDays } from '../truth/detach-days.js';
import { openDatabase } from './stores.js';

export interface DetachCommandOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** `2026-09-01`: the days before it, UTC. */
  readonly before: string | undefined;
  readonly isDry: boolean;
  /** Gets one line for each day. */
  readonly print: (line: string) => void;
}

/** Throws `UsageError` for what a person must change first. */
export async function runDetach({ config, logger, before, isDry, print }: DetachCommandOptions): Promise<void> {
  if (before === undefined || !isDate(before)) {
    throw new UsageError('detach needs --before with a date such as 2026-09-01: the days before it are detached');
  }
  const boardSet = loadBoards(config.boardsFile);
  const { all: scopes } = new BoardSeasons(boardSet);
  const { maxLatenessMs } = boardSet;
  const lifecycle = new Lifecycle({ logger });
  try {
    const pool = await openDatabase({ config, lifecycle, logger });
    const days = detachDays({ pool, scopes, maxLatenessMs, before, isDry, now: Date.now() });
    const done = isDry ? 'would be detached' : 'detached';
    for await (const { day, obstacle } of days) print(`${day} ${obstacle === null ? done : `stays: ${obstacle}`}`);
  } finally {
    await lifecycle.stop();
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
