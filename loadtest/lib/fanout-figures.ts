/** The figures of a fan-out run, always the same keys in the same order, and what makes them doubtful. */

import { cpus } from 'node:os';
import type { Audience } from './audience.js';
import type { FanoutOptions } from './fanout-options.js';
import type { Latencies } from './latencies.js';
import type { Outcome } from './reckoning.js';
import type { Figures } from './report.js';
import type { ServiceVersions } from './run-place.js';
import type { Usage } from './usage.js';

/** Above these the generator measures itself; the lag holds its linger of 5 ms. */
const MAX_GENERATOR_CPU_RATIO = 0.85;
const MAX_LAG_P99_MS = 12;

const BYTES_PER_MB = 1_000_000;

export interface FanoutResult {
  readonly options: FanoutOptions;
  readonly versions: ServiceVersions;
  readonly friendsAvg: number;
  readonly produced: number;
  readonly outcome: Outcome;
  readonly usage: Usage;
  readonly lag: Latencies;
  readonly acknowledgements: Latencies;
  readonly pushes: Latencies;
  readonly ownRanks: Latencies;
  readonly audience: Audience;
}

export function fanoutFigures(result: FanoutResult): Figures {
  const { options, outcome, usage, lag, acknowledgements, pushes, ownRanks, audience } = result;
  const { reckoning } = outcome;
  return {
    sockets: options.sockets,
    friends_avg: result.friendsAvg,
    rate: options.rate,
    seconds: options.seconds,
    improve: options.improve,
    top_share: options.topShare,
    spread: options.spread,
    tick_ms: options.tick ?? 'default',
    seed: options.seed,
    produced: result.produced,
    acknowledged: reckoning.acknowledged,
    result_to_push_p50_ms: pushes.percentileMs(50),
    result_to_push_p90_ms: pushes.percentileMs(90),
    result_to_push_p99_ms: pushes.percentileMs(99),
    result_to_push_max_ms: pushes.maxMs,
    own_rank_p50_ms: ownRanks.percentileMs(50),
    own_rank_p99_ms: ownRanks.percentileMs(99),
    acknowledged_p50_ms: acknowledgements.percentileMs(50),
    acknowledged_p99_ms: acknowledgements.percentileMs(99),
    deliveries: pushes.count,
    frames_received: usage.frames,
    frames_per_s: Math.round(usage.frames / usage.seconds),
    messages_received: usage.messages,
    bytes_received: usage.bytes,
    applied: reckoning.applied,
    no_record: reckoning.noRecord,
    duplicates: reckoning.duplicates,
    rejected: reckoning.rejected,
    missing_in_postgres: reckoning.missingInTruth,
    lost: outcome.lost,
    mismatched_clients: outcome.mismatchedClients,
    unshown: outcome.unshown,
    gaps: outcome.gaps,
    lost_connections: audience.traffic.losses,
    schedule_lag_p50_ms: lag.percentileMs(50),
    schedule_lag_p99_ms: lag.percentileMs(99),
    generator_cpu_ratio: usage.generatorCpuRatio,
    server_cpu_ratio: usage.serverCpuRatio,
    server_rss_mb: Math.round(usage.serverRssBytes / BYTES_PER_MB),
    ...result.versions,
    node: process.version,
    cores: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
  };
}

/** Why these figures are no measure of the server; empty where they are. */
export function findDoubts(usage: Pick<Usage, 'generatorCpuRatio'>, lag: Pick<Latencies, 'percentileMs'>): string[] {
  const doubts: string[] = [];
  if (usage.generatorCpuRatio > MAX_GENERATOR_CPU_RATIO) {
    const used = Math.round(usage.generatorCpuRatio * 100);
    doubts.push(`the generator used ${used} % of a core (limit ${MAX_GENERATOR_CPU_RATIO * 100} %)`);
  }
  const lagMs = lag.percentileMs(99);
  if (!(lagMs <= MAX_LAG_P99_MS)) {
    doubts.push(`the generator sent late: p99 ${lagMs.toFixed(1)} ms after the due time (limit ${MAX_LAG_P99_MS} ms)`);
  }
  return doubts;
}
