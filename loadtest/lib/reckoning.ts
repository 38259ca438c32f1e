/** The end of a run: waits until everything that was acknowledged is everywhere, at most a bounded time, and says what is not. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Audience } from './audience.js';
import type { ExpectedBoard } from './expected-board.js';
import type { ResultProducer } from './result-producer.js';
import type { SentResult } from './sent-results.js';
import { countLost, type Reckoning, reckon } from './server-metrics.js';
import type { ServerProcess } from './server-process.js';
import { countMissing, countResults } from './truth-rows.js';

/** The promise is 1 s after the last result; the rest is for a machine that is busy with something else. */
const QUIET_LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 250;

export interface Outcome {
  readonly reckoning: Reckoning;
  readonly lost: number;
  readonly mismatchedClients: number;
  readonly differences: readonly string[];
  /** See `Audience.countUnshown`. */
  readonly unshown: number;
  /** How often clients asked for a fresh snapshot. */
  readonly gaps: number;
}

export interface ReckoningParts {
  readonly server: ServerProcess;
  readonly pool: Pool;
  readonly producer: ResultProducer;
  readonly audience: Audience;
  /** What the acknowledged results come to. */
  readonly expect: (acknowledged: Iterable<SentResult>) => ExpectedBoard;
  /** The UTC day before which no result of the run lies. */
  readonly since?: string;
}

/** Call when every send has been answered. */
export async function reckonWhenQuiet(parts: ReckoningParts, signal: AbortSignal): Promise<Outcome> {
  const { server, pool, producer, audience, expect, since } = parts;
  const board = expect(producer.acknowledged);
  const wanted = producer.acknowledged.length;
  const deadlineAt = performance.now() + QUIET_LIMIT_MS;
  let wasRight = false;
  while (performance.now() < deadlineAt) {
    const isRight =
      countLost(reckon(await server.metrics(), wanted, 0)) === 0 &&
      audience.compareWith(board).mismatched === 0 &&
      (await countResults(pool, since)) >= wanted;
    // Twice in a row: being right has to last.
    if (isRight && wasRight) break;
    wasRight = isRight;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  const metrics = await server.metrics();
  const reckoning = reckon(metrics, wanted, await countMissing(pool, producer.acknowledged));
  const { mismatched, differences } = audience.compareWith(board);
  return {
    reckoning,
    lost: countLost(reckoning),
    mismatchedClients: mismatched,
    differences,
    unshown: audience.countUnshown(),
    gaps: metrics.sum('rankcast_resyncs_total'),
  };
}
