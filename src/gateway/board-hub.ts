/** One list on this gateway: its view, its refs, its shared windows, and every window of a session that shows it. */

import { type BoardDescription, ErrorCode, FrameType, type TierDescription } from '../../proto/frames.js';
import type { Board } from '../domain/board.js';
import { unpackPoints } from '../domain/packed-score.js';
import { type Tiers, tierOf } from '../domain/tiers.js';
import type { BoardView, BoardViewListener } from '../views/board-view.js';
import type { TrackedPlayer } from '../views/tracked-player.js';
import { encodeElement } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import { AroundRounds } from './around-rounds.js';
import type { FlushSchedule } from './flush-schedule.js';
import { KeptRows } from './kept-rows.js';
import { PlayerRefs } from './player-refs.js';
import { RefusedError } from './refusal.js';
import { TopTopic } from './top-topic.js';
import type { WatchedList } from './watched-list.js';

/** A session's window as the hub sees it. */
export interface HubWindow {
  /** The history was replaced: show everything anew. */
  reset(): void;
  /** Tiers may follow from the total, which moved. */
  tiersMoved(): void;
  /** There is nothing to show any more, and there will not be. */
  ended(why: RefusedError): void;
}

export interface BoardHubOptions {
  readonly list: WatchedList;
  /** Mixed into the epoch on the wire, since refs are this gateway's own. */
  readonly gatewayId: number;
  readonly schedule: FlushSchedule;
  /** The next number for a window that several sessions share. */
  readonly nextTopic: () => number;
  /** Told what a read for windows threw; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Each length that is watched is a difference and an encoding of its own at every change of the top. */
const MAX_TOP_LENGTHS = 16;
/** For so long a shared window stays when nobody watches it: who comes back goes on from where he was. */
const KEEP_TOP_MS = 60_000;

export class BoardHub implements BoardViewListener {
  readonly refs = new PlayerRefs();
  private readonly windows = new Set<HubWindow>();
  private readonly keptRows = new KeptRows();
  private readonly topTopics = new Map<number, TopTopic>();
  /** Shared windows that nobody watches, with the end of their time; who was left first comes first. */
  private readonly keptTopics = new Map<TopTopic, NodeJS.Timeout>();
  readonly view: BoardView;
  /** Of the windows around players. */
  readonly rounds: AroundRounds;
  /** How often it has come to be another list: who was told of an earlier one is to be told again. */
  version = 0;
  /** When somebody asked for it or watched it last, `performance.now()`. */
  usedAtMs = performance.now();
  private list: WatchedList;

  /** `createView`: makes the view that tells this hub what changed. */
  constructor(
    private readonly options: BoardHubOptions,
    createView: (listener: BoardViewListener) => BoardView,
  ) {
    this.list = options.list;
    this.view = createView(this);
    this.rounds = new AroundRounds(this.view, options.onError);
  }

  close(): void {
    this.view.close();
  }

  get isWatched(): boolean {
    return this.windows.size > 0 || this.topTopics.size > 0;
  }

  get board(): Board {
    return this.list.boardSeason.board;
  }

  /** Where its period is over: shows the one of now, or ends where its rows are gone. `now`: epoch milliseconds. */
  follow(now: number): void {
    const list = this.list.at(now);
    if (list === this.list) {
      if (list.isGone(now)) this.end();
      return;
    }
    this.list = list;
    this.version += 1;
    this.view.showList(list.ref);
  }

  private end(): void {
    const why = new RefusedError(ErrorCode.notFound, `the lists of ${this.list.chosen.period} are gone`);
    for (const topic of this.topTopics.values()) topic.ended(why);
    for (const window of [...this.windows]) window.ended(why);
  }

  /** The epoch that clients see. */
  get wireEpoch(): number {
    return (this.view.epoch ^ this.options.gatewayId ^ this.list.epochSalt) >>> 0;
  }

  get topSize(): number {
    return this.board.topSize;
  }

  describe(): BoardDescription {
    const { board, season } = this.list.boardSeason;
    const { startsAt, endsAt, period, scope } = this.list.chosen;
    const order = board.keys[0]?.order === 'low' ? 1 : 0;
    const tiers = describeTiers(board.tiers);
    const head = [board.boardId, board.title, season.seasonId, order, 0, 0, 0, startsAt, endsAt, 0] as const;
    return [...head, tiers, period, scope];
  }

  /** For a window that shows it: what it has come to be. */
  boardFrame(topic: number): Uint8Array {
    return encodeFrame([FrameType.board, topic, 0, this.describe()]);
  }

  /** The name of the tier that a player stands in. */
  tierOf({ score, rank }: TrackedPlayer): string | null {
    return tierOf(this.board.tiers, { points: this.points(score), rank, total: this.view.total });
  }

  points(score: number): number;
  points(score: number | null): number | null;
  points(score: number | null): number | null {
    return score === null ? null : unpackPoints(this.list.boardSeason.layout, score);
  }

  /** A player's row of an unplaced window, encoded once for all who watch him. */
  encodeRow(player: TrackedPlayer): Uint8Array {
    if (player.encoded !== null) return player.encoded;
    this.keptRows.keep(player);
    player.encoded = encodeElement(this.row(player));
    return player.encoded;
  }

  /** The same with the tail that introduces him to a window. */
  encodeFirstRow(player: TrackedPlayer): Uint8Array {
    if (player.encodedFirst !== null) return player.encodedFirst;
    this.keptRows.keep(player);
    player.encodedFirst = encodeElement([...this.row(player), player.playerId, null]);
    return player.encodedFirst;
  }

  private row(player: TrackedPlayer): unknown[] {
    const { score, rank, prevRank, at } = player;
    return [this.refs.ofTracked(player), this.points(score), rank, prevRank, score, at];
  }

  /** The shared window of that length; `undefined` where so many lengths are watched that another would cost too much. */
  topTopic(limit: number): TopTopic | undefined {
    const known = this.topTopics.get(limit);
    if (known !== undefined) {
      this.stopKeeping(known);
      return known;
    }
    if (limit !== this.topSize && !this.hasRoomForTop()) return undefined;
    const topic = new TopTopic(this, limit, this.options.nextTopic(), this.options.schedule);
    this.topTopics.set(limit, topic);
    return topic;
  }

  /** Of those that nobody watches the oldest make room: they must not keep others out. */
  private hasRoomForTop(): boolean {
    for (const kept of this.keptTopics.keys()) {
      if (this.topTopics.size < MAX_TOP_LENGTHS) break;
      this.dropTopTopic(kept);
    }
    return this.topTopics.size < MAX_TOP_LENGTHS;
  }

  /** From a shared window: nobody watches it now. */
  keepTopTopic(topic: TopTopic): void {
    this.keptTopics.set(topic, setTimeout(() => this.dropTopTopic(topic), KEEP_TOP_MS).unref());
  }

  private stopKeeping(topic: TopTopic): void {
    clearTimeout(this.keptTopics.get(topic));
    this.keptTopics.delete(topic);
  }

  private dropTopTopic(topic: TopTopic): void {
    this.stopKeeping(topic);
    this.topTopics.delete(topic.limit);
  }

  add(window: HubWindow): void {
    this.windows.add(window);
  }

  remove(window: HubWindow): void {
    this.windows.delete(window);
  }

  /** From the view: rows among the first `topSize` changed. */
  topChanged(): void {
    for (const topic of this.topTopics.values()) topic.changed();
  }

  /** From the view. Own ranks and friends carry the total of their last frame; a frame for it alone is not worth it, but for a tier. */
  totalChanged(): void {
    this.topChanged();
    if (this.board.tiers?.measure === 'top-percent') for (const window of this.windows) window.tiersMoved();
  }

  /** From the view: the history was replaced. */
  reset(): void {
    for (const topic of this.topTopics.values()) topic.reset();
    for (const window of this.windows) window.reset();
  }
}

function describeTiers(tiers: Tiers | null): TierDescription | null {
  if (tiers === null) return null;
  return [tiers.measure === 'points' ? 0 : 1, tiers.steps.map(({ name, limit }) => [name, limit])];
}
