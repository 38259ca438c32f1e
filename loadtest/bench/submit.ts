/**
 * `npm run bench -- submit`: results per second through the product's Redis ranking, ranks and stream on, on a board of
 * a million players (Zipf, 20 % improvements), beside its peer: the same script called once per result, pipelined.
 * Rounds alternate; figures are medians. `--lists 3` also ranks the day and the week.
 */

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { SEASON_LIST, type TagList } from '../../src/domain/lists.js';
import { MAX_SUBMIT_RESULTS, type SubmitResult } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { startRedisServer } from '../../test/stack/redis-server.js';
import { median, printFigures, progress } from '../lib/report.js';
import { BenchLoad, DEFINITION, fillBoard, TAG } from './bench-board.js';

const SOURCE = 'bench';
/** `--lists` takes the first so many. The day and the week are empty at first. */
const LISTS: readonly TagList[] = [
  { name: SEASON_LIST, keptUntil: null },
  { name: 'd:2026-10-12', keptUntil: Date.now() + 86_400_000 },
  { name: 'w:2026-W42', keptUntil: Date.now() + 86_400_000 },
];
const IMPROVED_SHARE = 0.2;
/** Calls that wait for their answer at the same time: what a consumer with a full batch has. */
const BATCHES_IN_FLIGHT = 4;
const SINGLES_IN_FLIGHT = 1_000;

interface Round {
  readonly perSecond: number;
  readonly nodeUs: number;
}

export async function benchSubmit(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      players: { type: 'string', default: '1000000' },
      results: { type: 'string', default: '400000' },
      rounds: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      lists: { type: 'string', default: '1' },
    },
  });
  const players = Number(values.players);
  const results = Number(values.results);
  const redis = await startRedisServer({});
  const ranking = new RedisRanking({ url: redis.url, prefix: 'bench', logger: pino({ level: 'warn' }) });
  try {
    const load = new BenchLoad(players, Number(values.seed), LISTS.slice(0, Number(values.lists)), IMPROVED_SHARE);
    await fillBoard(ranking, load);
    await run(ranking, load, results / 4, MAX_SUBMIT_RESULTS, BATCHES_IN_FLIGHT);
    const own: Round[] = [];
    const peer: Round[] = [];
    for (let round = 1; round <= Number(values.rounds); round++) {
      interrupted.throwIfAborted();
      own.push(await run(ranking, load, results, MAX_SUBMIT_RESULTS, BATCHES_IN_FLIGHT));
      peer.push(await run(ranking, load, results / 4, 1, SINGLES_IN_FLIGHT));
      progress(
        `round ${round}: ${Math.round(own.at(-1)?.perSecond ?? 0)}/s, peer ${Math.round(peer.at(-1)?.perSecond ?? 0)}/s`,
      );
    }
    const submits = median(own.map((round) => round.perSecond));
    const peerSubmits = median(peer.map((round) => round.perSecond));
    printFigures({
      players,
      lists: load.lists.length,
      results_per_round: results,
      rounds: own.length,
      improved_ratio: load.improvedRatio(),
      submits_per_s: Math.round(submits),
      node_us_per_submit: median(own.map((round) => round.nodeUs)),
      peer_submits_per_s: Math.round(peerSubmits),
      peer_node_us_per_submit: median(peer.map((round) => round.nodeUs)),
      ratio_to_peer: submits / peerSubmits,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.version,
    });
  } finally {
    await ranking.close();
    await redis.stop();
  }
}

let nextOffset = 0;

/** Submits `results` in batches of `batchSize`, so many at a time; every answer is checked. */
async function run(
  ranking: RedisRanking,
  load: BenchLoad,
  results: number,
  batchSize: number,
  inFlight: number,
): Promise<Round> {
  const batches: SubmitResult[][] = [];
  for (let made = 0; made < results; made += batchSize) {
    const size = Math.min(batchSize, results - made);
    batches.push(Array.from({ length: size }, (_, i) => load.make(nextOffset + made + i)));
  }
  const first = nextOffset;
  nextOffset += results;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < batches.length) {
      const index = next;
      next += 1;
      const batch = batches[index] ?? [];
      const from = first + index * batchSize;
      const reply = await ranking.submit(TAG, DEFINITION, {
        source: SOURCE,
        partition: 0,
        from,
        to: from + batch.length,
        results: batch,
      });
      if (reply.kind !== 'done' || reply.outcomes.includes('skipped'))
        throw new Error(`unexpected reply ${reply.kind}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  return { perSecond: results / seconds, nodeUs: (cpu.user + cpu.system) / results };
}
