/** The hubs of this gateway by list id: those of the current seasons from the start, others when somebody asks. */

import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { type Board, type BoardSet, scoreLayoutOf } from '../domain/board.js';
import { currentSeason, type Season } from '../domain/season.js';
import { BoardView, type ReloadCause } from '../views/board-view.js';
import type { RankingReader } from '../views/ranking-reader.js';
import { BoardHub } from './board-hub.js';
import type { FlushSchedule } from './flush-schedule.js';

export interface BoardHubsOptions {
  readonly boardSet: BoardSet;
  readonly reader: RankingReader;
  readonly schedule: FlushSchedule;
  readonly logger: Logger;
  readonly countReload: (why: ReloadCause) => void;
  readonly reports: ViewReports;
}

/** Whether the boards of the current seasons can be shown, for readiness. */
export interface ViewReports {
  ready(name: string): void;
  notReady(name: string, reason: string): void;
}

const REPORT_EVERY_MS = 1_000;
/** A reload that takes longer is no failover any more. */
const RELOAD_PATIENCE_MS = 5_000;

/** `arena`, or `arena;s=12`; what else a list id may hold belongs to later versions. */
const LIST_ID = /^([a-z0-9-]{1,32})(?:;s=([a-z0-9-]{1,32}))?$/;

export class BoardHubs {
  private readonly hubs = new Map<string, BoardHub>();
  /** Random, so that refs of one gateway are never taken for another's. */
  private readonly gatewayId = randomInt(2 ** 32);
  private lastTopic = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BoardHubsOptions) {}

  start(): void {
    for (const board of this.options.boardSet.boards) {
      this.options.reports.notReady(`board ${board.boardId}`, 'not read yet');
      this.find(board.boardId);
    }
    this.timer = setInterval(() => this.report(), REPORT_EVERY_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
    for (const hub of this.hubs.values()) hub.view.close();
  }

  private report(): void {
    for (const { boardId } of this.options.boardSet.boards) {
      const view = this.find(boardId)?.view;
      const name = `board ${boardId}`;
      if (view?.isCurrent === true) this.options.reports.ready(name);
      else if ((view?.reloadingForMs ?? 0) > RELOAD_PATIENCE_MS) {
        this.options.reports.notReady(name, 'it cannot be read from the ranking, or nobody has filled it yet');
      }
    }
  }

  find(listId: string): BoardHub | undefined {
    const [, boardId, seasonId] = LIST_ID.exec(listId) ?? [];
    const { boards, calendar } = this.options.boardSet;
    const board = boards.find((candidate) => candidate.boardId === boardId);
    const season =
      seasonId === undefined
        ? currentSeason(calendar, Date.now())
        : calendar.seasons.find((candidate) => candidate.seasonId === seasonId);
    if (board === undefined || season === undefined) return undefined;
    const key = `${board.boardId};s=${season.seasonId}`;
    const known = this.hubs.get(key);
    if (known !== undefined) return known;
    const hub = this.open(board, season);
    this.hubs.set(key, hub);
    return hub;
  }

  private open(board: Board, season: Season): BoardHub {
    const { boardSet, reader, schedule, logger, countReload } = this.options;
    const tag = { boardId: board.boardId, seasonId: season.seasonId };
    const layout = scoreLayoutOf(board, boardSet.modes, season);
    const nextTopic = (): number => {
      this.lastTopic += 1;
      return this.lastTopic;
    };
    const hub = new BoardHub(
      { board, season, layout, gatewayId: this.gatewayId, schedule, nextTopic },
      (listener) => new BoardView({ tag, topSize: board.topSize, reader, listener, logger, countReload }),
    );
    hub.view.start();
    return hub;
  }
}
