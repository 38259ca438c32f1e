/** The figures of a rebuild run, always the same keys in the same order. */

import { cpus } from 'node:os';
import type { Latencies } from './latencies.js';
import type { RebuildOptions } from './rebuild-options.js';
import type { RebuildReport } from './rebuild-process.js';
import type { Outcome } from './reckoning.js';
import { type Figures, median } from './report.js';
import type { ServiceVersions } from './run-place.js';
import type { Usage } from './usage.js';

/** Above it a rebuild is felt by those who watch. */
export const MAX_P99_RATIO = 2;

/** Of one round: a window without a rebuild and the one with it that follows. */
export type RoundLatencies = Readonly<Record<'before' | 'during', Latencies>>;

export interface RebuildResult {
  readonly options: RebuildOptions;
  readonly versions: ServiceVersions;
  readonly produced: number;
  readonly outcome: Outcome;
  /** From the first measured window to the end of the last. */
  readonly usage: Usage;
  readonly lag: Latencies;
  readonly pushes: readonly RoundLatencies[];
  readonly ownRanks: readonly RoundLatencies[];
  readonly rebuilds: readonly RebuildReport[];
  readonly lostConnections: number;
}

/** The median of the rounds': a second in which the machine had other things to do spoils one round and not all. */
export function p99Ratio({ pushes }: Pick<RebuildResult, 'pushes'>): number {
  return median(ratiosOf(pushes, 99));
}

function ratiosOf(rounds: readonly RoundLatencies[], percent: number): number[] {
  return rounds.map(({ before, during }) => during.percentileMs(percent) / before.percentileMs(percent));
}

export function rebuildFigures(result: RebuildResult): Figures {
  const { options, outcome, usage, lag, pushes, ownRanks, rebuilds } = result;
  const { reckoning } = outcome;
  const seconds = median(rebuilds.map((one) => one.seconds));
  const entries = rebuilds.at(-1)?.entries ?? Number.NaN;
  const percentile = (rounds: readonly RoundLatencies[], kind: 'before' | 'during', percent: number): number => {
    return median(rounds.map((round) => round[kind].percentileMs(percent)));
  };
  return {
    rows: options.rows,
    players: options.players,
    days: options.days,
    rule: options.rule,
    sockets: options.sockets,
    friends: options.friends,
    rate: options.rate,
    watched_share: options.watchedShare,
    improve: options.improve,
    seconds: options.seconds,
    rounds: options.rounds,
    seed: options.seed,
    rebuilds: rebuilds.length,
    rebuild_s: seconds,
    entries,
    rows_per_s: Math.round(options.rows / seconds),
    entries_per_s: Math.round(entries / seconds),
    result_to_push_p50_before_ms: percentile(pushes, 'before', 50),
    result_to_push_p99_before_ms: percentile(pushes, 'before', 99),
    result_to_push_max_before_ms: Math.max(...pushes.map(({ before }) => before.maxMs)),
    result_to_push_p50_during_ms: percentile(pushes, 'during', 50),
    result_to_push_p99_during_ms: percentile(pushes, 'during', 99),
    result_to_push_max_during_ms: Math.max(...pushes.map(({ during }) => during.maxMs)),
    result_to_push_p50_ratio: median(ratiosOf(pushes, 50)),
    result_to_push_p99_ratio: p99Ratio(result),
    result_to_push_p99_ratios: ratiosOf(pushes, 99)
      .map((ratio) => ratio.toFixed(2))
      .join(','),
    own_rank_p99_before_ms: percentile(ownRanks, 'before', 99),
    own_rank_p99_during_ms: percentile(ownRanks, 'during', 99),
    deliveries_before: pushes.reduce((sum, { before }) => sum + before.count, 0),
    deliveries_during: pushes.reduce((sum, { during }) => sum + during.count, 0),
    produced: result.produced,
    acknowledged: reckoning.acknowledged,
    applied: reckoning.applied,
    no_record: reckoning.noRecord,
    duplicates: reckoning.duplicates,
    late: reckoning.late,
    rejected: reckoning.rejected,
    missing_in_postgres: reckoning.missingInTruth,
    lost: outcome.lost,
    mismatched_clients: outcome.mismatchedClients,
    unshown: outcome.unshown,
    gaps: outcome.gaps,
    lost_connections: result.lostConnections,
    schedule_lag_p99_ms: lag.percentileMs(99),
    generator_cpu_ratio: usage.generatorCpuRatio,
    server_cpu_ratio: usage.serverCpuRatio,
    server_rss_mb: Math.round(usage.serverRssBytes / 1_000_000),
    ...result.versions,
    node: process.version,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
  };
}
