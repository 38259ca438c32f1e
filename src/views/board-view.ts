/**
 * One list as this process sees it: its tag's change stream folded into the top rows and the standing of every watched
 * player. Changes of the tag's other lists only move the seq, which all of them share.
 * Reads happen when a watch begins and when the history was replaced, never per change and never per viewer.
 */

import type { Logger } from 'pino';
import type { AroundAsk, ChangeSet, Entry, TagPosition } from '../domain/change.js';
import { StoreUnavailableError } from '../domain/errors.js';
import type { ListRef } from '../domain/lists.js';
import { tagName } from '../domain/tag.js';
import { PATIENCE_MS, sleep, withPatience } from './patience.js';
import { type FoldPlace, PlayerReads } from './player-reads.js';
import { RankTracker } from './rank-tracker.js';
import type { ChangeSubscription, RankingReader, ReadRows } from './ranking-reader.js';
import { ToldMoves } from './told-moves.js';
import { type TopRow, TopRows } from './top-rows.js';
import { TouchedScores } from './touched-scores.js';
import type { PlayerWatcher, TrackedPlayer } from './tracked-player.js';
import { Watchers } from './watchers.js';

export interface BoardViewListener {
  /** Rows among the first `topSize` changed. */
  topChanged(): void;
  /** Players came to the list or left it since this was last told; told within 700 ms. */
  totalChanged(): void;
  /** The history was replaced: everything shown must be sent anew, under `epoch`. */
  reset(): void;
}

export interface BoardViewOptions {
  readonly list: ListRef;
  readonly topSize: number;
  readonly reader: RankingReader;
  readonly listener: BoardViewListener;
  readonly logger: Logger;
  /** Counts reloads by cause, for the metrics. */
  readonly countReload?: (why: ReloadCause) => void;
}

export type ReloadCause = 'start' | 'gap' | 'epoch' | 'behind' | 'stuck' | 'refill' | 'list' | 'wrong';

/** Moves caused by others reach the watchers at this pace; the promise to the client is one second. */
const MOVED_INTERVAL_MS = 700;
/** A reload is tried again soon at first: a failover takes a second or two. A list that nobody fills may wait. */
const RELOAD_RETRY_MS = 250;
const RELOAD_SLOW_RETRY_MS = 2_000;
const RELOAD_SOON_TRIES = 40;

export class BoardView implements FoldPlace {
  /** `null` until the first snapshot. After that the last state stays, also while the ranking cannot be reached. */
  private position: TagPosition | null = null;
  private totalPlayers = 0;
  /** The total moved since it was last told. It counts also where it is back: a top may have been sent with the one in between. */
  private hasTotalMoved = false;
  private readonly top: TopRows;
  private readonly tracker = new RankTracker();
  private readonly watchers = new Watchers();
  /** Where rows came and left, for windows around players. */
  readonly touched = new TouchedScores();
  private readonly reads: PlayerReads;
  private feed: ChangeSubscription | undefined;
  /** Counts snapshots taken: what was read under an earlier one is worth nothing. */
  generation = 0;
  private reloading: Promise<void> | null = null;
  private reloadingSince = 0;
  private mustReloadAgain = false;
  /** Watched players by id while their standings are read anew: they stay the objects that they are. */
  private readonly parked = new Map<string, TrackedPlayer>();
  private isClosed = false;
  private aheadAtSeq: number | null = null;
  list: ListRef;
  private readonly toldMoves = new ToldMoves(this.tracker, this.watchers, () => !this.isClosed && this.isCurrent);
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: BoardViewOptions) {
    this.list = options.list;
    this.reads = new PlayerReads(options.reader, this);
    this.top = new TopRows(options.topSize);
    this.timer = setInterval(() => this.tellMoved(), MOVED_INTERVAL_MS).unref();
  }

  start(): void {
    this.reload('start');
  }

  /** Shows another list of the same tag from now on, to whoever watches: it ends with a reset, as a new history does. */
  showList(list: ListRef): void {
    this.list = list;
    // What it tells is about the list before; the reload follows the new one.
    this.feed?.close();
    this.feed = undefined;
    this.reload('list');
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
    this.feed?.close();
    this.reads.wake();
  }

  /** Whether what is shown may be taken for the present: a snapshot was taken and none is being taken. */
  get isCurrent(): boolean {
    return this.position !== null && this.reloading === null;
  }

  /** Since how long a snapshot is being taken, milliseconds; 0 where the view is current. */
  get reloadingForMs(): number {
    return this.reloading === null ? 0 : performance.now() - this.reloadingSince;
  }

  get epoch(): number {
    return this.position?.epoch ?? 0;
  }

  get seq(): number {
    return this.position?.seq ?? 0;
  }

  /** Players ranked on the list. */
  get total(): number {
    return this.totalPlayers;
  }

  get trackedCount(): number {
    return this.tracker.size;
  }

  /**
   * Compares some watched players, by chance, with the ranking itself: counting crossings must never drift. Answers how many were
   * wrong; where any was, everything is read anew. Throws StoreUnavailableError.
   */
  async countWrong(players: number): Promise<number> {
    const sample = this.isCurrent ? this.tracker.sample(players) : [];
    if (sample.length === 0) return 0;
    let wrong = 0;
    await this.reads.read(
      sample.map(({ playerId }) => playerId),
      (fresh) => {
        this.tracker.settle();
        for (const { playerId, score, rank } of fresh) {
          const own = this.tracker.get(playerId);
          if (own === undefined || (own.score === score && own.rank === rank)) continue;
          wrong += 1;
          this.options.logger.error(
            { ...this.names, playerId, shown: own.rank, rank, seq: this.seq },
            'view.rank_wrong',
          );
        }
      },
    );
    if (wrong > 0) this.reload('wrong');
    return wrong;
  }

  /** Brings the ranks of all watched players up to the fold; who was moved is told at the view's pace as ever. */
  settleRanks(): void {
    this.tracker.settle();
  }

  /**
   * The rows around players, as of one seq, which may be ahead of the fold; `MAX_NEIGHBOUR_ROWS` in all. `null` where the history is
   * not the one that is shown: a reset comes, or has come. Throws StoreUnavailableError.
   */
  async readNeighbours(asked: readonly AroundAsk[]): Promise<ReadRows<readonly Entry[]> | null> {
    const { generation, list } = this;
    const reading = await this.options.reader.readNeighbours(list, asked);
    if (reading === null || !this.isCurrent || this.generation !== generation || this.list !== list) return null;
    if (reading.epoch === this.epoch) return reading;
    this.reload('epoch');
    return null;
  }

  topRows(limit: number): readonly TopRow[] {
    return this.top.head(limit);
  }

  /**
   * Resolves when the view is current; throws StoreUnavailableError where that takes too long. The patience is that of the
   * reload: whoever comes late to a long outage is not kept waiting as well.
   */
  async whenCurrent(): Promise<void> {
    if (this.isCurrent) return;
    const patienceMs = PATIENCE_MS - (performance.now() - this.reloadingSince);
    if (patienceMs <= 0) throw this.notReady();
    await withPatience(this.untilCurrent(), patienceMs, () => this.notReady());
  }

  private async untilCurrent(): Promise<void> {
    while (!this.isCurrent) {
      if (this.reloading === null) throw this.notReady();
      await this.reloading;
    }
  }

  /**
   * Starts telling `watcher` about the players; answers them in the order asked. Places that others moved them by since
   * the last settling are told like all such moves, within 700 ms. The callers must use the answer in the same turn: the
   * next change moves on from it.
   * Throws StoreUnavailableError where there is no board yet or the ranking cannot be read.
   */
  async watch(playerIds: readonly string[], watcher: PlayerWatcher): Promise<TrackedPlayer[]> {
    const added: TrackedPlayer[] = [];
    try {
      for (;;) {
        await this.whenCurrent();
        // The promise resolved a moment ago; the next reload may have begun since, and has taken the players along.
        if (!this.isCurrent) continue;
        const unknown = playerIds.filter((playerId) => this.tracker.get(playerId) === undefined);
        if (unknown.length > 0) {
          const isRead = await this.reads.read(unknown, (read) => {
            const fresh = read.filter((player) => this.tracker.get(player.playerId) === undefined);
            this.tracker.add(fresh);
            added.push(...fresh);
          });
          if (!isRead) continue;
        }
        const players = playerIds.flatMap((playerId) => this.tracker.get(playerId) ?? []);
        // Somebody else's watch may have ended during the read and taken a player along.
        if (players.length < playerIds.length) continue;
        for (const player of players) this.watchers.add(player, watcher);
        return players;
      }
    } catch (error) {
      this.releaseUnwatched(added);
      throw error;
    }
  }

  unwatch(players: readonly TrackedPlayer[], watcher: PlayerWatcher): void {
    for (const player of players) this.watchers.remove(player, watcher);
    this.releaseUnwatched(players);
  }

  /** Those of the players whom somebody watches, in the order asked: for who watches them and keeps no list of his own. */
  watched(playerIds: readonly string[]): TrackedPlayer[] {
    return playerIds.flatMap((playerId) => this.tracker.get(playerId) ?? this.parked.get(playerId) ?? []);
  }

  private releaseUnwatched(players: readonly TrackedPlayer[]): void {
    for (const player of players) if (player.watcherCount === 0) this.tracker.release(player);
  }

  private changes(set: ChangeSet): void {
    const { position } = this;
    if (position === null || this.isClosed) return;
    if (set.epoch !== position.epoch) return this.reload('epoch');
    if (set.toSeq <= position.seq) return;
    if (set.fromSeq !== position.seq + 1) return this.reload('gap');
    this.fold(set);
    if (this.top.needsLoad) this.reload('refill');
  }

  private fold(set: ChangeSet): void {
    const moved = new Set<TrackedPlayer>();
    let isTopTouched = false;
    for (const change of set.changes) {
      if (change.list !== this.list.list) continue;
      if (change.scoreBefore === null) this.moveTotal(1);
      if (change.score === null) this.moveTotal(-1);
      this.touched.add(change);
      const index = this.top.fold(change);
      if (index !== -1 && index < this.options.topSize) isTopTouched = true;
      const player = this.tracker.fold(change);
      if (player !== undefined) moved.add(player);
    }
    this.position = { epoch: set.epoch, seq: set.toSeq };
    this.reads.add(set);
    if (this.reloading !== null) return;
    for (const player of moved) this.watchers.tell(player, player.at);
    // A top that became too short is not shown: the reload that it asks for ends with a reset.
    if (isTopTouched && !this.top.needsLoad) this.options.listener.topChanged();
  }

  private tellMoved(): void {
    if (!this.isCurrent) return;
    this.toldMoves.tell();
    if (!this.hasTotalMoved) return;
    this.hasTotalMoved = false;
    this.options.listener.totalChanged();
  }

  private moveTotal(step: 1 | -1): void {
    this.totalPlayers += step;
    this.hasTotalMoved = true;
  }

  /** Once a second: a history that was replaced or cut shows here even when nobody plays. */
  private tagPosition(tagPosition: TagPosition | null): void {
    const { position } = this;
    // No board: the last state stays until somebody has filled it again, under a new epoch.
    if (tagPosition === null || position === null) return;
    if (tagPosition.epoch !== position.epoch) return this.reload('epoch');
    if (tagPosition.seq < position.seq) return this.reload('behind');
    // Ahead is normal for a moment; ahead at two looks without a step in between means that the entries are gone.
    const isAhead = tagPosition.seq > position.seq;
    if (isAhead && this.aheadAtSeq === position.seq) return this.reload('stuck');
    this.aheadAtSeq = isAhead ? position.seq : null;
  }

  /** Takes a fresh snapshot of everything that is watched; tries until it has one. The old state stays meanwhile. */
  private reload(cause: ReloadCause): void {
    if (this.isClosed) return;
    if (this.reloading !== null) {
      this.mustReloadAgain = true;
      // The reload under way may wait for entries of a history that has just been replaced too.
      this.reads.wake();
      return;
    }
    this.options.countReload?.(cause);
    if (cause !== 'start') this.options.logger.info({ ...this.names, cause, seq: this.seq }, 'view.reload');
    this.reloadingSince = performance.now();
    this.reloading = this.loadUntilDone();
  }

  private async loadUntilDone(): Promise<void> {
    for (let tries = 1; !this.isClosed; tries++) {
      const isLoaded = await this.load().catch((error: unknown) => {
        this.options.logger.warn({ err: error, ...this.names }, 'view.reload_failed');
        return false;
      });
      if (isLoaded && !this.mustReloadAgain) break;
      await sleep(tries < RELOAD_SOON_TRIES ? RELOAD_RETRY_MS : RELOAD_SLOW_RETRY_MS);
    }
    // In the turn of that last look: nobody would hear of a complaint that came between the two.
    this.reloading = null;
    if (!this.isClosed) this.options.listener.reset();
  }

  /** The top first; from its seq on the fold goes on, and brings up the watched players as they are read. */
  private async load(): Promise<boolean> {
    const { list } = this;
    const head = await this.options.reader.readRange(list, 1, this.top.wanted);
    if (head === null || this.isClosed || this.list !== list) return false;
    this.generation += 1;
    // Complaints so far were about the place that is left now, one for each change that came in meanwhile.
    this.mustReloadAgain = false;
    this.reads.wake();
    this.position = { epoch: head.epoch, seq: head.seq };
    this.aheadAtSeq = null;
    this.totalPlayers = head.total;
    this.top.load(head.rows, head.total);
    for (const player of this.tracker.clear()) this.parked.set(player.playerId, player);
    this.followFrom(head.seq);
    const parked = [...this.parked.values()].filter((player) => player.watcherCount > 0);
    return await this.reads.read(
      parked.map((player) => player.playerId),
      (fresh) => {
        parked.forEach((player, i) => {
          player.restate(fresh[i] ?? { score: null, rank: null, isHidden: false });
        });
        this.parked.clear();
        this.tracker.add(parked.filter((player) => player.watcherCount > 0));
      },
    );
  }

  private followFrom(seq: number): void {
    if (this.feed !== undefined) return this.feed.restart(seq);
    this.feed = this.options.reader.follow(this.list, seq, {
      changes: (set) => this.changes(set),
      position: (position) => this.tagPosition(position),
    });
  }

  epochDiffers(): void {
    this.reload('epoch');
  }

  notReady(): StoreUnavailableError {
    return new StoreUnavailableError(`the ranking of ${this.names.tag} cannot be read now`);
  }

  /** As they stand in the log. */
  private get names(): { readonly tag: string; readonly list: string } {
    const { tag, list } = this.list;
    return { tag: tagName(tag), list };
  }
}
