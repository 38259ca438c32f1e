/**
 * `npm run loadtest -- rebuild`: a large board is filled anew, by the command that a person runs, while results come and
 * sockets watch. How much longer a result takes to be shown meanwhile, how long the rebuild takes, and whether in the end
 * nothing is lost and every window is exactly right.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBoard } from '../../src/boards.js';
import { scoreLayoutOf } from '../../src/domain/board.js';
import { currentSeason } from '../../src/domain/season.js';
import { writeArenaFile } from '../lib/arena-file.js';
import type { Audience } from '../lib/audience.js';
import { ExpectedBoard } from '../lib/expected-board.js';
import { findDoubts } from '../lib/fanout-figures.js';
import { type Close, runGuarded } from '../lib/guarded-run.js';
import { MeasuredWindows } from '../lib/measured-windows.js';
import { PastPlanner } from '../lib/past-players.js';
import { PastResults } from '../lib/past-results.js';
import {
  MAX_P99_RATIO,
  p99Ratio,
  type RebuildResult,
  type RoundLatencies,
  rebuildFigures,
} from '../lib/rebuild-figures.js';
import { type RebuildOptions, readRebuildOptions } from '../lib/rebuild-options.js';
import { type RebuildReport, runRebuildProcess } from '../lib/rebuild-process.js';
import { reckonWhenQuiet } from '../lib/reckoning.js';
import { printFigures, progress } from '../lib/report.js';
import { ResultLoad } from '../lib/result-load.js';
import { connectAudience, connectProducer, makeFriends, startServer } from '../lib/run-parts.js';
import { enterPlace } from '../lib/run-place.js';
import type { SentResult } from '../lib/sent-results.js';
import type { ServerProcess } from '../lib/server-process.js';
import { Standings } from '../lib/standings.js';
import { readUsage, type Usage, usageBetween } from '../lib/usage.js';
import { seededRandom } from '../lib/zipf.js';

/** Nothing but a rebuild that hangs takes longer. */
const REBUILD_LIMIT_MS = 600_000;
/** Set-up, connecting and the reckoning, for each million rows and beside them. */
const AROUND_MS_PER_MILLION = 60_000;
const AROUND_MS = 300_000;
/** The server fills the board from the past before it is ready. */
const READY_WITHIN_MS = 600_000;
/** A new board of rule sum remembers no copies from before its birth, and asks truth for what is achieved until so long after. */
const BIRTH_GRACE_MS = 125_000;
const SCHEMA = 'rankcast';

/** Answers whether each rebuild ended, nothing was lost and nobody shows anything wrong. */
export async function runRebuild(args: readonly string[], interrupted: AbortSignal): Promise<boolean> {
  const options = readRebuildOptions(args);
  return report(
    await runGuarded(limitMs(options), interrupted, (signal, closers) => measure(options, signal, closers)),
  );
}

function limitMs({ rows, warmup, seconds, rounds }: RebuildOptions): number {
  const around = AROUND_MS + (rows / 1e6) * AROUND_MS_PER_MILLION;
  return around + warmup * 1_000 + rounds * (2 * seconds * 1_000 + REBUILD_LIMIT_MS);
}

/** What it opens it adds to `closers`. */
async function measure(options: RebuildOptions, signal: AbortSignal, closers: Close[]): Promise<RebuildResult> {
  const { rows, players, days, rule, sockets, improve, watchedShare } = options;
  const place = await enterPlace();
  closers.push(() => place.leave());
  const file = await writeArenaFile(place.topic, rule);
  closers.push(() => file.remove());
  const { boardSet } = file;
  const board = defaultBoard(boardSet);
  const now = Date.now();
  const season = currentSeason(boardSet.calendar, now);
  const [mode = ''] = board.modes;
  const past = new PastResults({ rows, players, mode, days, now, seasonStartsAt: season.startsAt });
  await past.seed(place.pool, SCHEMA, signal);

  const tokenSecret = randomBytes(32).toString('hex');
  const env = { ...place.serverEnv, RANKCAST_BOARDS_FILE: file.path, RANKCAST_TOKEN_SECRET: tokenSecret };
  const server = startServer(env, closers);
  await server.ready(signal, READY_WITHIN_MS);

  const layout = scoreLayoutOf(board, boardSet.modes, season);
  const random = seededRandom(options.seed);
  const standings = new Standings(layout, rule);
  for (const result of past) standings.merge(result);
  const maxPoints = layout.keys[0]?.max ?? 0;
  const chosen = { rule, standings, players, watched: sockets, watchedShare, improve, maxPoints, random };
  const planner = new PastPlanner(chosen);
  const friends = await makeFriends(place.pool, planner.watched, options.friends, random);
  const producer = await connectProducer(place, board, closers);
  const windows: Windows = { pushes: new MeasuredWindows(), ownRanks: new MeasuredWindows() };
  const audience = await connectAudience(
    {
      url: server.url,
      boardId: board.boardId,
      topSize: board.topSize,
      topShare: TOP_SHARE,
      players: planner.watched,
      friends: friends.friendsOfEach,
      ...windows,
    },
    tokenSecret,
    closers,
    signal,
  );
  if (rule === 'sum') {
    progress(
      `waiting ${BIRTH_GRACE_MS / 1_000} s: until then a new board of rule sum asks the database for each result`,
    );
    await sleep(BIRTH_GRACE_MS, undefined, { signal });
  }

  const load = new ResultLoad(planner, producer);
  const end = new AbortController();
  const running = load.start({ ...options, seconds: MAX_LOAD_SECONDS }, signal, end.signal);
  const measured = { running, windows, server, audience, options, signal };
  const rebuild = () => runRebuildProcess(env, board.boardId, signal);
  const [{ rebuilds, usage }] = await Promise.all([
    alternate(measured, rebuild).finally(() => end.abort()),
    running.done,
  ]);
  await producer.settle();
  const expect = (acknowledged: Iterable<SentResult>) => new ExpectedBoard(chain(past, acknowledged), layout, rule);
  const since = new Date(past.endsAt).toISOString();
  const outcome = await reckonWhenQuiet({ server, pool: place.pool, producer, audience, expect, since }, signal);
  for (const failure of producer.failures.slice(0, 3)) progress(`a send was not acknowledged: ${failure}`);
  for (const difference of outcome.differences) progress(`mismatch: ${difference}`);
  const roundsOf = (measuredWindows: MeasuredWindows<Kind>): RoundLatencies[] => {
    return Array.from({ length: options.rounds }, (_, index) => {
      return { before: measuredWindows.of(`before ${index + 1}`), during: measuredWindows.of(`during ${index + 1}`) };
    });
  };
  return {
    options,
    versions: place.versions,
    produced: producer.produced,
    outcome,
    usage,
    lag: load.lag,
    pushes: roundsOf(windows.pushes),
    ownRanks: roundsOf(windows.ownRanks),
    rebuilds,
    lostConnections: audience.traffic.losses,
  };
}

const SHOWN_WITHIN_MS = 3_000;
/** Of the sockets, who watches the top as well. */
const TOP_SHARE = 0.1;
/** The load ends with the last rebuild, whenever that is. */
const MAX_LOAD_SECONDS = 86_400;

/** With the number of the round. */
type Kind = `${'before' | 'during'} ${number}`;
type Windows = Readonly<Record<'pushes' | 'ownRanks', MeasuredWindows<Kind>>>;

interface Measured {
  readonly running: { readonly measuredFromMs: number };
  readonly windows: Windows;
  readonly server: ServerProcess;
  readonly audience: Audience;
  readonly options: RebuildOptions;
  readonly signal: AbortSignal;
}

/** A window without a rebuild, then one of rebuilds, one after another until it is as long; and again, as often as asked. */
async function alternate(
  { running, windows, server, audience, options, signal }: Measured,
  rebuild: () => Promise<RebuildReport>,
): Promise<{ readonly rebuilds: readonly RebuildReport[]; readonly usage: Usage }> {
  const begin = (kind: Kind | null): void => {
    const atMs = performance.now();
    windows.pushes.begin(kind, atMs);
    windows.ownRanks.begin(kind, atMs);
  };
  const tell = (kind: Kind): void => {
    const pushes = windows.pushes.of(kind);
    progress(`${kind}: push p50 ${pushes.percentileMs(50)} ms, p99 ${pushes.percentileMs(99)} ms`);
  };
  await sleep(Math.max(0, running.measuredFromMs - performance.now()), undefined, { signal });
  const from = readUsage(server.pid, audience.traffic);
  const rebuilds: RebuildReport[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    begin(`before ${round}`);
    await sleep(options.seconds * 1_000, undefined, { signal });
    tell(`before ${round}`);
    begin(`during ${round}`);
    const untilMs = performance.now() + options.seconds * 1_000;
    while (performance.now() < untilMs) {
      const one = await rebuild();
      rebuilds.push(one);
      progress(`rebuild ${rebuilds.length}: ${one.entries} entries in ${one.seconds} s`);
    }
    tell(`during ${round}`);
  }
  begin(null);
  // What was due last is to be shown before the load ends: the reckoning takes this process's time.
  await sleep(SHOWN_WITHIN_MS, undefined, { signal });
  return { rebuilds, usage: usageBetween(from, readUsage(server.pid, audience.traffic)) };
}

function* chain<T>(...parts: readonly Iterable<T>[]): Iterable<T> {
  for (const part of parts) yield* part;
}

function report(result: RebuildResult): boolean {
  printFigures(rebuildFigures(result));
  for (const doubt of findDoubts(result.usage, result.lag)) progress(`warning: do not trust these figures: ${doubt}`);
  const ratio = p99Ratio(result);
  if (!(ratio <= MAX_P99_RATIO)) {
    progress(`warning: results took ${ratio.toFixed(1)} times as long to be shown (p99) while the board was rebuilt`);
  }
  const { lost, mismatchedClients } = result.outcome;
  return lost === 0 && mismatchedClients === 0;
}
