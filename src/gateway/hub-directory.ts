/** The hubs of this gateway by list id: those of the current seasons from the start, others when somebody asks. */

import type { Logger } from 'pino';
import { type Board, type BoardSet, maxPointsOf } from '../domain/board.js';
import { scoreLayout } from '../domain/packed-score.js';
import { currentSeason, type Season } from '../domain/season.js';
import { BoardView, type ReloadCause } from '../views/board-view.js';
import type { RankingReader } from '../views/ranking-reader.js';
import { BoardHub } from './board-hub.js';
import type { FlushSchedule } from './flush-schedule.js';
import { newGatewayId } from './gateway.js';

export interface BoardHubsOptions {
  readonly boardSet: BoardSet;
  readonly reader: RankingReader;
  readonly schedule: FlushSchedule;
  readonly logger: Logger;
  readonly countReload: (why: ReloadCause) => void;
}

/** `arena`, or `arena;s=12`; what else a list id may hold belongs to later versions. */
const LIST_ID = /^([a-z0-9-]{1,32})(?:;s=([a-z0-9-]{1,32}))?$/;

export class BoardHubs {
  private readonly hubs = new Map<string, BoardHub>();
  private readonly gatewayId = newGatewayId();
  private lastTopic = 0;

  constructor(private readonly options: BoardHubsOptions) {}

  start(): void {
    for (const board of this.options.boardSet.boards) this.find(board.boardId);
  }

  close(): void {
    for (const hub of this.hubs.values()) hub.view.close();
  }

  all(): readonly BoardHub[] {
    return [...this.hubs.values()];
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
    const layout = scoreLayout(maxPointsOf(board, boardSet.modes), season);
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
