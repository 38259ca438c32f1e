/** A hub over a fake ranking whose flushes a test starts by hand. */

import { pino } from 'pino';
import { boardSeason } from '../../../src/domain/board-season.js';
import { BoardHub } from '../../../src/gateway/board-hub.js';
import { FlushSchedule, type FlushTarget } from '../../../src/gateway/flush-schedule.js';
import { WatchedList } from '../../../src/gateway/watched-list.js';
import { BoardView } from '../../../src/views/board-view.js';
import { FakeRanking } from '../../views/support/fake-ranking.js';
import { LIST, turns } from '../../views/support/view-rig.js';
import { boardSet, SEASON, score } from './gateway-rig.js';

/** Flushes when the test says so. */
export class HandSchedule extends FlushSchedule {
  private readonly due = new Set<FlushTarget>();
  override mark(target: FlushTarget): void {
    this.due.add(target);
  }
  flushAll(): void {
    for (const target of [...this.due]) {
      this.due.delete(target);
      target.flush();
    }
  }
}

export class HandBoard {
  readonly ranking: FakeRanking;
  readonly schedule = new HandSchedule({ tickMs: 0 }, () => {});
  readonly hub: BoardHub;
  private lastTopic = 0;

  constructor(
    points: Readonly<Record<string, number>>,
    readonly topSize = 3,
  ) {
    this.ranking = new FakeRanking(Object.fromEntries(Object.entries(points).map(([id, value]) => [id, score(value)])));
    const boards = boardSet(topSize);
    const [board] = boards.boards;
    if (board === undefined) throw new Error('one board is declared');
    const list = WatchedList.choose(boardSeason(boards, board, SEASON), { period: null, scope: null }, Date.now());
    const nextTopic = (): number => {
      this.lastTopic += 1;
      return this.lastTopic;
    };
    const logger = pino({ level: 'silent' });
    this.hub = new BoardHub(
      { list, gatewayId: 77, schedule: this.schedule, nextTopic, onError: () => {} },
      (listener) => new BoardView({ list: LIST, topSize, reader: this.ranking, listener, logger }),
    );
  }

  async start(): Promise<this> {
    this.hub.view.start();
    await this.hub.view.whenCurrent();
    return this;
  }

  async replace(seq: number, points: Readonly<Record<string, number>>): Promise<void> {
    this.ranking.replace(seq, Object.fromEntries(Object.entries(points).map(([id, value]) => [id, score(value)])));
    this.ranking.tellPosition();
    await turns(3);
  }
}
