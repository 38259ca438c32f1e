/**
 * `npm run bench -- own-rank`: what it costs to keep the ranks of many viewers exact while others play, in process and without
 * sockets: the views' rank tracker over changes of a real board, beside its peer, which asks Redis for each viewer's rank as often
 * as the views tell it, pipelined. Rounds alternate; figures are medians; afterwards every rank is compared with Redis's.
 */

import { Redis } from 'ioredis';
import { pino } from 'pino';
import type { ChangeSet } from '../../src/domain/change.js';
import { SEASON_LIST } from '../../src/domain/lists.js';
import { RankingKeys } from '../../src/ranking/keys.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { RankTracker } from '../../src/views/rank-tracker.js';
import { TrackedPlayer } from '../../src/views/tracked-player.js';
import { startRedisServer } from '../../test/stack/redis-server.js';
import { collectGarbage } from '../lib/collect-garbage.js';
import { parseOptions, readNumber } from '../lib/option-values.js';
import { readProcessCost } from '../lib/process-cost.js';
import { median, printFigures, progress } from '../lib/report.js';
import { seededRandom } from '../lib/zipf.js';
import { BenchLoad, DEFINITION, fillBoard, TAG } from './bench-board.js';

const PREFIX = 'bench';
const LIST = { tag: TAG, definitionHash: DEFINITION, list: SEASON_LIST };
const READ_AT_ONCE = 1_000;
/** As often as the views tell who was moved. */
const TELL_EVERY_MS = 700;
const DEFAULTS = { players: '1000000', viewers: '20000', rate: '20000', seconds: '7', rounds: '5', seed: '1' };

export async function benchOwnRank(args: readonly string[], interrupted: AbortSignal): Promise<void> {
  const values = parseOptions(args, DEFAULTS);
  const players = readNumber('players', values.players, { min: 1_000, max: 10_000_000 });
  const viewers = readNumber('viewers', values.viewers, { min: 1, max: players });
  const rate = readNumber('rate', values.rate, { min: 1, max: 100_000 });
  const seconds = readNumber('seconds', values.seconds, { min: 1, max: 60 });
  const rounds = readNumber('rounds', values.rounds, { min: 1, max: 50 });
  const seed = readNumber('seed', values.seed, { min: 0, max: 2 ** 32 - 1 });
  const server = await startRedisServer({});
  const ranking = new RedisRanking({ url: server.url, prefix: PREFIX, logger: pino({ level: 'warn' }) });
  const redis = new Redis(server.url, { protocol: 2 });
  try {
    const load = new BenchLoad(players, seed, [{ name: SEASON_LIST, keptUntil: null }], 1);
    await fillBoard(ranking, load);
    const ids = chooseViewers(load, viewers, seededRandom(seed + 1));
    const tracker = await track(ranking, ids);
    const peer = new AskingPeer(redis, server.pid, ids);
    const own: number[] = [];
    const asked: PeerCost[] = [];
    const source = new Changes(ranking, load);
    for (let round = 0; round <= rounds; round += 1) {
      interrupted.throwIfAborted();
      collectGarbage();
      const upkeep = new Upkeep(tracker, (rate * TELL_EVERY_MS) / 1_000);
      await source.play(rate * seconds, (set) => upkeep.take(set));
      upkeep.tell();
      const peerCost = await peer.ask();
      // The first is for the compiler.
      if (round === 0) continue;
      own.push(upkeep.ms / (seconds * 1_000));
      asked.push(peerCost);
      progress(
        `round ${round}: ${percent(own.at(-1) ?? 0)} % of a core, asking ${percent(peerCost.node + peerCost.redis)} %`,
      );
    }
    const ratios = own.map((cost, index) => ((asked[index]?.node ?? 0) + (asked[index]?.redis ?? 0)) / cost);
    const nodeRatios = own.map((cost, index) => (asked[index]?.node ?? 0) / cost);
    printFigures({
      ...{ players, viewers, rate, seconds, rounds },
      upkeep_core_pct: 100 * median(own),
      asking_node_core_pct: 100 * median(asked.map(({ node }) => node)),
      asking_redis_core_pct: 100 * median(asked.map((cost) => cost.redis)),
      ratio_to_asking: median(ratios),
      ratio_to_asking_node_alone: median(nodeRatios),
      mismatched: await peer.countWrong(tracker),
      node: process.version,
    });
  } finally {
    await ranking.close();
    redis.disconnect();
    await server.stop();
  }
}

function chooseViewers(load: BenchLoad, viewers: number, random: () => number): readonly string[] {
  const chosen = new Set<number>();
  while (chosen.size < viewers) chosen.add(Math.floor(random() * load.players));
  return [...chosen].map((index) => load.idOf(index));
}

async function track(ranking: RedisRanking, ids: readonly string[]): Promise<RankTracker> {
  const tracker = new RankTracker();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const reading = await ranking.readPlayers(LIST, ids.slice(from, from + READ_AT_ONCE));
    if (reading === null) throw new Error('the board is not there');
    tracker.add(reading.rows.map(({ playerId, score, rank }) => new TrackedPlayer(playerId, score, rank)));
  }
  tracker.settle();
  return tracker;
}

/** Folds what comes from the stream, and learns who was moved after each so many changes. */
class Upkeep {
  /** What it took, in this thread. */
  ms = 0;
  private untold = 0;

  constructor(
    private readonly tracker: RankTracker,
    private readonly changesPerTell: number,
  ) {}

  take({ changes }: ChangeSet): void {
    const startedAt = performance.now();
    for (const change of changes) this.tracker.fold(change);
    this.ms += performance.now() - startedAt;
    this.untold += changes.length;
    if (this.untold >= this.changesPerTell) this.tell();
  }

  tell(): void {
    const startedAt = performance.now();
    this.tracker.takeMoved();
    this.ms += performance.now() - startedAt;
    this.untold = 0;
  }
}

/** Changes as the board's stream brings them. */
class Changes {
  private nextOffset = 0;
  private seq = 0;

  constructor(
    private readonly ranking: RedisRanking,
    private readonly load: BenchLoad,
  ) {}

  /** Resolves when all have come. */
  async play(count: number, take: (set: ChangeSet) => void): Promise<void> {
    const wantedSeq = this.seq + count;
    let arrived: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const feed = this.ranking.follow(LIST, this.seq, {
      changes: (set) => {
        take(set);
        if (set.toSeq >= wantedSeq) arrived();
      },
      position: () => undefined,
    });
    try {
      for (let made = 0; made < count; made += MAX_SUBMIT_RESULTS)
        await this.submit(Math.min(MAX_SUBMIT_RESULTS, count - made));
      await all;
    } finally {
      feed.close();
    }
    this.seq = wantedSeq;
  }

  private async submit(count: number): Promise<void> {
    const from = this.nextOffset;
    this.nextOffset += count;
    const results = Array.from({ length: count }, (_, index) => this.load.make(from + index));
    const reply = await this.ranking.submit(TAG, DEFINITION, {
      source: PREFIX,
      partition: 0,
      from,
      to: from + count,
      results,
    });
    if (reply.kind !== 'done') throw new Error(`unexpected reply ${reply.kind}`);
  }
}

/** Shares of a core, where everybody is asked for as often as the views tell. */
interface PeerCost {
  readonly node: number;
  readonly redis: number;
}

class AskingPeer {
  private readonly key: string;

  constructor(
    private readonly redis: Redis,
    private readonly redisPid: number,
    private readonly ids: readonly string[],
  ) {
    this.key = new RankingKeys(PREFIX).list(TAG, 1, SEASON_LIST);
  }

  /** Redis's processor time is counted in hundredths of a second: asked ten times, the step is small enough. */
  async ask(times = 10): Promise<PeerCost> {
    const nodeBefore = process.cpuUsage();
    const redisBefore = readProcessCost(this.redisPid).cpuSec;
    for (let time = 0; time < times; time += 1) await this.ranks();
    const { user, system } = process.cpuUsage(nodeBefore);
    const askedSec = (times * TELL_EVERY_MS) / 1_000;
    return {
      node: (user + system) / 1e6 / askedSec,
      redis: (readProcessCost(this.redisPid).cpuSec - redisBefore) / askedSec,
    };
  }

  async countWrong(tracker: RankTracker): Promise<number> {
    const ranks = await this.ranks();
    return this.ids.filter((id, index) => tracker.get(id)?.rank !== ranks[index]).length;
  }

  private async ranks(): Promise<readonly number[]> {
    const pipeline = this.redis.pipeline();
    for (const id of this.ids) pipeline.zrevrank(this.key, id);
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, rank]) => {
      if (error !== null || typeof rank !== 'number') throw error ?? new Error('a viewer has no row');
      return rank + 1;
    });
  }
}

function percent(share: number): string {
  return (100 * share).toFixed(2);
}
