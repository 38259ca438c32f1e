/** A whole run against a server that is up: play, come to rest, compare every client, and so on to the end. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { BoardFacts } from './board-facts.js';
import { BoardReader } from './board-reader.js';
import type { RankedRow } from './brute-force.js';
import { Cast, pointsOf } from './cast.js';
import { FriendGraph } from './friendships.js';
import { GameServer } from './game-server.js';
import { type ListSpec, listsOf } from './lists.js';
import { planFriends, planRounds, playerOfClient, ROUND_MS, type RunShape, type TimedStep } from './plan.js';
import { PlayedResults } from './played-results.js';
import { compareAtRest } from './quiet-point.js';
import type { VerifyReport } from './report.js';
import { StepPlayer } from './step-player.js';
import { Truth } from './truth.js';
import { VerifyError } from './verify-error.js';
import { type Mismatch, Watcher } from './watcher.js';
import { seededRandom } from './zipf.js';

export interface VerifyOptions {
  readonly url: string;
  readonly boardId: string;
  readonly shape: RunShape;
  readonly ingestToken: string;
  /** A player token for the server. */
  readonly sign: (playerId: string) => Promise<string>;
  /** How long the server may take until all clients show what they should, milliseconds. */
  readonly settleMs: number;
  /** The unit in which the board compares times, milliseconds. */
  readonly unitMs: number;
  /** Fills the board anew beside the server; rejects where it fails. `null`: that part is left out. */
  readonly rebuild: ((boardId: string, signal: AbortSignal) => Promise<void>) | null;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
  /** What clients connect by. Default: the class of the `ws` package. */
  readonly Socket?: typeof WebSocket;
}

const OPEN_WITHIN_MS = 30_000;
const CALLS_AT_ONCE = 20;
const PROGRESS_EVERY_MS = 5_000;

/** Throws `VerifyError` where the run cannot be made. It ends with the first quiet point at which something is wrong. */
export async function verify(options: VerifyOptions): Promise<VerifyReport> {
  const run = await Run.prepare(options);
  try {
    return await run.toEnd();
  } finally {
    run.close();
  }
}

class Run {
  private readonly results = new PlayedResults();
  private readonly friends = new FriendGraph();
  private readonly server: GameServer;
  private readonly player: StepPlayer;
  private readonly watchers: Watcher[] = [];
  private mismatches: readonly Mismatch[] = [];
  private quietPoints = 0;
  private compared = 0;
  private rebuilding: Promise<void> | null = null;
  private told = performance.now();

  private constructor(
    private readonly options: VerifyOptions,
    private readonly reader: BoardReader,
    private readonly facts: BoardFacts,
    private readonly cast: Cast,
    private readonly lists: readonly ListSpec[],
    private readonly others: ReadonlyMap<string, readonly RankedRow[]>,
  ) {
    const { url, ingestToken, signal } = options;
    this.server = new GameServer(url, ingestToken, signal);
    this.player = new StepPlayer({
      ...{ facts, cast, server: this.server, results: this.results, friends: this.friends, watchers: this.watchers },
      rebuild: () => this.beginRebuild(),
    });
  }

  /** Reads the board, and with it what stands there of others. */
  static async prepare(options: VerifyOptions): Promise<Run> {
    const { url, boardId, shape, signal } = options;
    const reader = new BoardReader(url, signal);
    const facts = await reader.facts(boardId);
    const now = Date.now();
    if (facts.season.endsAt < now + 2 * shape.rounds * ROUND_MS) {
      throw new VerifyError(`the season of board ${boardId} ends during the run: choose fewer --minutes`);
    }
    const names = new Cast(shape.seed, now, new Set());
    const lists = listsOf(facts, names.scopeValues(), now);
    const others = await readOthers(reader, facts, lists, names);
    if (facts.rule === 'sum' && others.get(boardId)?.length !== 0) {
      throw new VerifyError(`board ${boardId} adds up and ranks others already: verify needs it empty`);
    }
    const cast = new Cast(shape.seed, now, pointsOf(others.values()));
    return new Run(options, reader, facts, cast, lists, others);
  }

  async toEnd(): Promise<VerifyReport> {
    const { shape, progress, rebuild } = this.options;
    if (rebuild === null)
      progress('no rebuild: it needs the settings of the stores (RANKCAST_REDIS_URL and the others)');
    await this.begin();
    let round = 0;
    for (const steps of planRounds(shape)) {
      round += 1;
      await this.play(steps, `round ${round} of ${shape.rounds}`);
      if (!(await this.isRight())) return this.report();
    }
    await this.leave();
    return this.report();
  }

  close(): void {
    for (const watcher of this.watchers) watcher.close();
  }

  private async begin(): Promise<void> {
    const { shape, url, sign, Socket } = this.options;
    await this.each(planFriends(shape), async ([player, friend]) => {
      await this.player.play({ kind: 'befriend', player, friend });
    });
    const random = seededRandom(shape.seed ^ 0xc11e);
    const anyPlayer = (): string => this.cast.player(Math.floor(random() * shape.players));
    for (let client = 0; client < shape.clients; client++) {
      const playerId = this.cast.player(playerOfClient(client, shape));
      const windows = { lists: this.lists, topSize: this.facts.topSize, anyPlayer, random };
      this.watchers.push(new Watcher({ url, playerId, sign, ...windows, ...(Socket === undefined ? {} : { Socket }) }));
    }
    const late = sleep(OPEN_WITHIN_MS, 'late', { signal: this.options.signal, ref: false });
    const opened = await Promise.race([Promise.all(this.watchers.map((watcher) => watcher.ready())), late]).catch(
      (error: unknown) => {
        this.options.signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        throw new VerifyError(`a client was refused: ${why} (RANKCAST_TOKEN_SECRET must be that of the server)`);
      },
    );
    if (opened === 'late')
      throw new VerifyError(`not all clients were shown something within ${OPEN_WITHIN_MS / 1_000} s`);
  }

  /** Steps come at their time, or as soon after it as the server takes them. */
  private async play(steps: readonly TimedStep[], title: string): Promise<void> {
    const startedAt = performance.now();
    for (const { atMs, ...step } of steps) {
      const waitMs = startedAt + atMs - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.options.signal });
      await this.player.play(step);
      this.tell(title);
    }
    await this.rebuilding;
  }

  /** Whether, at rest, all clients show what they should. Throws where that is because somebody else plays here. */
  private async isRight(): Promise<boolean> {
    const { settleMs, unitMs, signal } = this.options;
    const { rule, order, season } = this.facts;
    const rules = { rule, order, startsAt: season.startsAt, unitMs };
    const truth = new Truth(this.results, this.others, rules, this.friends);
    this.mismatches = await compareAtRest({ watchers: this.watchers, truth, withinMs: settleMs, signal });
    this.quietPoints += 1;
    this.compared += this.watchers.reduce((sum, { windows }) => sum + windows.length, 0);
    if (this.mismatches.length > 0) await this.refuseWhereOthersPlay();
    return this.mismatches.length === 0 && this.player.misjudged.length === 0;
  }

  private async refuseWhereOthersPlay(): Promise<void> {
    const now = await readOthers(this.reader, this.facts, this.lists, this.cast);
    const { boardId } = this.facts;
    const isSame = this.lists.every(({ name }) => standing(now.get(name)) === standing(this.others.get(name)));
    if (isSame) return;
    throw new VerifyError(`somebody else plays on board ${boardId}: verify needs one to itself while it runs`);
  }

  /** Its players are hidden, so the board is as it was; that is compared as well. */
  private async leave(): Promise<void> {
    const players = Array.from({ length: this.options.shape.players }, (_, index) => index);
    await this.each(players, (player) => this.player.setHidden(player, true));
    await this.isRight();
  }

  private beginRebuild(): void {
    const { rebuild, signal } = this.options;
    this.rebuilding ??= rebuild?.(this.facts.boardId, signal) ?? null;
    // Awaited at the end of the round; until then a failure must not end the process.
    this.rebuilding?.catch(() => undefined);
  }

  private async each<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
    const left = [...items];
    const work = async (): Promise<void> => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  }

  private tell(title: string): void {
    if (performance.now() - this.told < PROGRESS_EVERY_MS) return;
    this.told = performance.now();
    const { results, frames, compared } = this.report();
    this.options.progress(`${title}: results=${results} frames=${frames} compared=${compared} mismatches=0`);
  }

  private report(): VerifyReport {
    const { shape } = this.options;
    return {
      shape,
      minutes: (shape.rounds * ROUND_MS) / 60_000,
      results: this.player.sent,
      refused: this.player.refused,
      frames: this.watchers.reduce((sum, watcher) => sum + watcher.frames, 0),
      quietPoints: this.quietPoints,
      compared: this.compared,
      mismatches: this.mismatches,
      misjudged: this.player.misjudged,
      rebuild: this.rebuilding === null ? 'skipped' : 'done',
    };
  }
}

async function readOthers(reader: BoardReader, facts: BoardFacts, lists: readonly ListSpec[], cast: Cast) {
  const others = new Map<string, readonly RankedRow[]>();
  for (const list of lists) {
    others.set(list.name, await reader.rows(list, facts.boardId, (playerId) => cast.isOwn(playerId)));
  }
  return others;
}

/** Ranks move with our players between them; the order and the points do not. */
function standing(rows: readonly RankedRow[] = []): string {
  return JSON.stringify(rows.map(({ playerId, points }) => [playerId, points]));
}
