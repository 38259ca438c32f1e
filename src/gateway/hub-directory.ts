/** The hubs of this gateway by list id: those of the current seasons from the start, others when somebody asks. */

import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { type BoardSeason, type BoardSeasons, listRef } from '../domain/board-season.js';
import { BoardView, type ReloadCause } from '../views/board-view.js';
import type { RankingReader } from '../views/ranking-reader.js';
import { BoardHub } from './board-hub.js';
import type { FlushSchedule } from './flush-schedule.js';

export interface BoardHubsOptions {
  readonly seasons: BoardSeasons;
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
  /** By the name of their tag. */
  private readonly hubs = new Map<string, BoardHub>();
  /** Random, so that refs of one gateway are never taken for another's. */
  private readonly gatewayId = randomInt(2 ** 32);
  private lastTopic = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: BoardHubsOptions) {}

  start(): void {
    for (const board of this.options.seasons.boardSet.boards) {
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
    for (const { boardId } of this.options.seasons.boardSet.boards) {
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
    if (boardId === undefined) return undefined;
    const found = this.options.seasons.find(boardId, seasonId, Date.now());
    if (found === undefined) return undefined;
    const known = this.hubs.get(found.name);
    if (known !== undefined) return known;
    const hub = this.open(found);
    this.hubs.set(found.name, hub);
    return hub;
  }

  private open(found: BoardSeason): BoardHub {
    const { reader, schedule, logger, countReload } = this.options;
    const { board, season, layout } = found;
    const list = listRef(found);
    const nextTopic = (): number => {
      this.lastTopic += 1;
      return this.lastTopic;
    };
    const hub = new BoardHub(
      { board, season, layout, gatewayId: this.gatewayId, schedule, nextTopic },
      (listener) => new BoardView({ list, topSize: board.topSize, reader, listener, logger, countReload }),
    );
    hub.view.start();
    return hub;
  }
}
