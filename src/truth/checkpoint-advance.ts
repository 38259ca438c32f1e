/**
 * Advances the checkpoint of a tag over the rows that came since, step by step. A step is one REPEATABLE READ transaction:
 * the rows between its two positions, the subjects whose older rows were changed, and the positions. Whatever it dies of,
 * the checkpoint is that of the step before.
 */

import type { PoolClient } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { countBehind, type Position } from '../domain/log-record.js';
import { mergeDetached, mergeRows, replaceSubjects } from './checkpoint-entries.js';
import { moveCheckpoint, readCheckpoint, startCheckpoint } from './checkpoint-record.js';
import { readDetachedDays } from './detached-days.js';
import {
  forgetDetached,
  hasAttachedSince,
  readDetachedFold,
  readDetachedRecord,
  refuseBehind,
} from './detached-entries.js';
import { readDirty } from './dirty-subjects.js';
import { dropExpired } from './entry-table.js';
import { summarizeOffsets } from './offset-index.js';
import { stepTowards } from './position-ranges.js';
import { PositionMap, readAllPositions } from './source-positions.js';
import { refuseBeyond, toStoreError } from './store-errors.js';
import { transactOn } from './transaction.js';

export interface AdvanceOptions {
  /** Default: truth's positions as they are at the first step. Partitions in which the checkpoint is ahead stay. */
  readonly to?: readonly Position[] | undefined;
  /** Lists that are not kept any more then are dropped, epoch milliseconds. */
  readonly now: number;
  /** About how many records a step considers. Default 4 million for the first, and 50,000 for those behind it. */
  readonly stepRecords?: number;
  /** Told before each step how many records are to be considered still; a throw ends the advance. */
  readonly onStep?: (behind: number) => void;
  /** Awaited between two steps, outside any transaction: how long the last one took, milliseconds. */
  readonly rest?: (tookMs: number) => Promise<void>;
}

/** Where there are no entries yet, the more rows are folded at once, the fewer entries are written again. */
const FIRST_STEP_RECORDS = 4_000_000;
/** Half a second: others get their turn in between. */
const STEP_RECORDS = 50_000;
const STEP_TIMEOUT_MS = 3_600_000;
/** Beyond it PostgreSQL groups and sorts on disk. */
const STEP_WORK_MEMORY = '128MB';
const STEP_MODE = 'ISOLATION LEVEL REPEATABLE READ';

/**
 * `client` holds the tag's lock. Answers the positions where the checkpoint stands now. Throws `DetachedDaysError` where
 * detached days are needed whose entries are not there, `StoreUnavailableError` where truth has not reached `to`, and where
 * a checkpoint that starts anew would have to stop at `to` before those days' positions.
 */
export async function advanceCheckpoint(
  client: PoolClient,
  scope: BoardSeason,
  options: AdvanceOptions,
): Promise<readonly Position[]> {
  try {
    await prepare(client, scope, options);
    await summarizeOffsets(client, STEP_TIMEOUT_MS);
    let goal = options.to;
    for (;;) {
      const startedAt = performance.now();
      const { reached, isThere, ...step } = await advanceOnce(client, scope, { ...options, to: goal });
      if (isThere) return reached;
      goal = step.goal;
      await options.rest?.(performance.now() - startedAt);
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * A record is there, and committed, before the first snapshot that rows are read in: its own keeps what is needed of the
 * changes that come meanwhile.
 */
async function prepare(client: PoolClient, scope: BoardSeason, { to, now }: AdvanceOptions): Promise<void> {
  await transactOn(client, 'READ WRITE', async () => {
    await client.query(`SET LOCAL statement_timeout = ${STEP_TIMEOUT_MS}`);
    const held = await readCheckpoint(client, scope);
    if (held === null || (await hasAttachedSince(client, scope, held.positions))) await startAnew(client, scope, now);
    else await dropOld(client, scope, held.droppedAt, now);
    const detached = await readDetachedRecord(client, scope);
    if (to === undefined || detached === null) return;
    refuseBehind(scope, detached, new PositionMap([...to, ...(held?.positions ?? [])]).all());
  });
}

/**
 * At no positions, but with what detached days come to: until it has passed all of their positions it counts more than the
 * rows below its own, which is why `to` may not lie before them.
 */
async function startAnew(client: PoolClient, scope: BoardSeason, now: number): Promise<void> {
  const { days } = await readDetachedFold(client, scope, `a checkpoint of ${scope.name} from its first result on`);
  await startCheckpoint(client, scope, now, STEP_TIMEOUT_MS);
  if (days.length === 0) return await forgetDetached(client, scope, STEP_TIMEOUT_MS);
  await dropExpired(client, 'detached_entry', scope, Number.NEGATIVE_INFINITY, now, STEP_TIMEOUT_MS);
  await mergeDetached(client, scope, { now }, STEP_TIMEOUT_MS);
}

async function dropOld(client: PoolClient, scope: BoardSeason, droppedAt: number, now: number): Promise<void> {
  for (const table of ['board_checkpoint_entry', 'detached_entry'] as const) {
    await dropExpired(client, table, scope, droppedAt, now, STEP_TIMEOUT_MS);
  }
  await client.query('UPDATE board_checkpoint SET dropped_at = greatest(dropped_at, $2) WHERE tag = $1', [
    scope.name,
    new Date(now).toISOString(),
  ]);
}

interface Step {
  readonly goal: readonly Position[];
  readonly reached: readonly Position[];
  readonly isThere: boolean;
}

async function advanceOnce(
  client: PoolClient,
  scope: BoardSeason,
  { to, now, stepRecords, onStep }: AdvanceOptions,
): Promise<Step> {
  return await transactOn(client, STEP_MODE, async () => {
    await client.query(`SET LOCAL statement_timeout = ${STEP_TIMEOUT_MS}`);
    await client.query(`SET LOCAL work_mem = '${STEP_WORK_MEMORY}'`);
    const held = await readCheckpoint(client, scope);
    if (held === null) throw new Error(`the checkpoint of ${scope.name} was replaced under its lock`);
    const truth = await readAllPositions(client);
    const goal = to ?? truth;
    refuseBeyond(truth, goal);
    onStep?.(countBehind(held.positions, goal));
    const usual = held.positions.length === 0 ? FIRST_STEP_RECORDS : STEP_RECORDS;
    const below = stepTowards(held.positions, goal, stepRecords ?? usual);
    const without = await readDetachedDays(client, scope.season);
    await mergeRows(client, scope, { from: held.positions, below, without, now }, STEP_TIMEOUT_MS);
    // Changed between the last snapshot and this one: those rows were counted as they were.
    const dirty = await readDirty(client, scope, held);
    if (dirty.length > 0) {
      const [first = ''] = dirty;
      await readDetachedFold(client, scope, `folding ${first} of ${scope.name} anew after a correction`);
      await replaceSubjects(client, scope, dirty, { below, without, now }, STEP_TIMEOUT_MS);
    }
    await moveCheckpoint(client, scope, below);
    return { goal, reached: below, isThere: countBehind(below, goal) === 0 };
  });
}
