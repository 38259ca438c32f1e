/**
 * The hubs of this gateway by the list that was asked for: those of the current seasons from the start, others when somebody asks,
 * for as long as somebody watches.
 */

import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { ErrorCode } from '../../proto/frames.js';
import type { BoardSeason, BoardSeasons } from '../domain/board-season.js';
import { BoardView, type ReloadCause } from '../views/board-view.js';
import type { RankingReader } from '../views/ranking-reader.js';
import { TagFeeds } from '../views/tag-feeds.js';
import { BoardHub } from './board-hub.js';
import type { FlushSchedule } from './flush-schedule.js';
import { readListId } from './list-id.js';
import { RETRY_AFTER_MS, RefusedError } from './refusal.js';
import { WatchedList } from './watched-list.js';

export interface BoardHubsOptions {
  readonly seasons: BoardSeasons;
  readonly reader: RankingReader;
  readonly schedule: FlushSchedule;
  /** Lists beside those of the current seasons that may be open at the same time. */
  readonly maxLists: number;
  readonly logger: Logger;
  readonly countReload: (why: ReloadCause) => void;
  /** Told how many of the ranks that were looked at differed from the ranking's own. */
  readonly countWrong: (ranks: number) => void;
  readonly reports: ViewReports;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** Whether the boards of the current seasons can be shown, for readiness. */
export interface ViewReports {
  ready(name: string): void;
  notReady(name: string, reason: string): void;
}

const LOOK_EVERY_MS = 1_000;
/** A reload that takes longer is no failover any more. */
const RELOAD_PATIENCE_MS = 5_000;
/** For so long a list stays open that nobody watches. */
const KEEP_MS = 60_000;
/** How often a few ranks of each list are compared with the ranking, and how many. */
const CHECK_EVERY_LOOKS = 10;
const CHECKED_RANKS = 20;
const NOT_DECLARED = 'no such board or season';

export class BoardHubs {
  /** By the key of their list. */
  private readonly hubs = new Map<string, BoardHub>();
  /** Random, so that refs of one gateway are never taken for another's. */
  private readonly gatewayId = randomInt(2 ** 32);
  private readonly reader: RankingReader;
  private readonly now: () => number;
  private lastTopic = 0;
  private looks = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BoardHubsOptions) {
    this.reader = new TagFeeds(options.reader);
    this.now = options.now ?? Date.now;
  }

  start(): void {
    for (const { boardId } of this.options.seasons.boardSet.boards) {
      this.options.reports.notReady(`board ${boardId}`, 'not read yet');
    }
    this.openHome();
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
    for (const hub of this.hubs.values()) hub.close();
  }

  /**
   * Throws `RefusedError`: 404 for a board or season that is not declared and for a period whose rows are gone, 422 for what is no
   * list id and for a list that the board does not have, 503 where too many are open.
   */
  find(listId: string): BoardHub {
    const { boardId, seasonId, choice } = readListId(listId);
    const found = this.options.seasons.find(boardId, seasonId, this.now());
    if (found === undefined) throw new RefusedError(ErrorCode.notFound, NOT_DECLARED);
    const list = WatchedList.choose(found, choice, this.now());
    const known = this.hubs.get(list.key);
    if (known === undefined) this.requireRoom();
    const hub = known ?? this.open(list);
    hub.usedAtMs = performance.now();
    return hub;
  }

  /** Lists of the current seasons have room in any case. */
  private requireRoom(): void {
    const { maxLists, seasons } = this.options;
    if (this.hubs.size - seasons.boardSet.boards.length < maxLists) return;
    throw new RefusedError(ErrorCode.unavailable, `${maxLists} lists are watched now: try again later`, RETRY_AFTER_MS);
  }

  private look(): void {
    const home = this.openHome();
    this.looks += 1;
    if (this.looks % CHECK_EVERY_LOOKS === 0) void this.checkRanks();
    const nowMs = performance.now();
    for (const [key, hub] of this.hubs) {
      hub.follow(this.now());
      if (hub.isWatched) hub.usedAtMs = nowMs;
      if (home.has(hub) || nowMs - hub.usedAtMs < KEEP_MS) continue;
      this.hubs.delete(key);
      hub.close();
    }
  }

  private async checkRanks(): Promise<void> {
    const { countWrong, logger } = this.options;
    for (const { view } of [...this.hubs.values()]) {
      try {
        countWrong(await view.countWrong(CHECKED_RANKS));
      } catch (error) {
        // The ranking cannot be read now: there will be another time.
        logger.debug({ err: error }, 'view.check_failed');
      }
    }
  }

  /** The hubs of the current seasons, reported. */
  private openHome(): ReadonlySet<BoardHub> {
    const { seasons, reports } = this.options;
    const home = new Set<BoardHub>();
    for (const { boardId } of seasons.boardSet.boards) {
      const found = seasons.find(boardId, undefined, this.now());
      if (found === undefined) continue;
      const hub = this.homeHub(found);
      home.add(hub);
      const name = `board ${boardId}`;
      if (hub.view.isCurrent) reports.ready(name);
      else if (hub.view.reloadingForMs > RELOAD_PATIENCE_MS) {
        reports.notReady(name, 'it cannot be read from the ranking, or nobody has filled it yet');
      }
    }
    return home;
  }

  private homeHub(found: BoardSeason): BoardHub {
    const list = WatchedList.choose(found, { period: null, scope: null }, this.now());
    return this.hubs.get(list.key) ?? this.open(list);
  }

  private open(list: WatchedList): BoardHub {
    const { schedule, logger, countReload } = this.options;
    const { topSize } = list.boardSeason.board;
    const onError = (error: unknown): void => logger.warn({ err: error, list: list.key }, 'view.around_failed');
    const nextTopic = (): number => {
      this.lastTopic += 1;
      return this.lastTopic;
    };
    const hub = new BoardHub(
      { list, gatewayId: this.gatewayId, schedule, nextTopic, onError },
      (listener) => new BoardView({ list: list.ref, topSize, reader: this.reader, listener, logger, countReload }),
    );
    this.hubs.set(list.key, hub);
    hub.view.start();
    return hub;
  }
}
