/** A player who is hidden has the same id as a guild: hidden are players, and not guilds. */

import { expect, it } from 'vitest';
import { BoardSeasons, listRef } from '../../src/domain/board-season.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_FILL_CHUNK } from '../../src/ranking/ranking.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSet, resultJson } from '../results/log-fixture.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { createTruthDatabase, silent } from '../truth/truth-database.js';

it('a fill of a board of guilds keeps the guild', async () => {
  const database = await createTruthDatabase();
  const ranking = new MemoryRanking();
  try {
    const seasons = new BoardSeasons({ ...boardSet, boards: [{ ...ARENA_BOARD, subject: 'guild' }] });
    const at = Date.now();
    const values = [
      resultJson({ playerId: 'amy', points: 5, achievedAt: at, scopes: { guild: '77' } }),
      Buffer.from(JSON.stringify({ kind: 'hide', playerId: '77' })),
    ];
    const records = values.map((value, offset): LogRecord => ({ offset, key: null, value, brokerAt: at }));
    const consumer = new TruthConsumer({
      store: new MatchResultsPostgres({ pool: database.pool, ...boardSet }),
      deadLetters: { write: async () => {} },
      log: { append: async () => {} },
      boardSet: seasons.boardSet,
      counters: { count: () => {} },
    });
    await consumer.consume({ source: 'kafka:t', partition: 0, from: 0, to: 2, records });
    const [board] = seasons.all;
    if (board === undefined) throw new Error('no board');
    await fillTag(board, {
      target: ranking,
      truth: new TruthSnapshots(database.pool),
      logger: silent,
      maxFillChunk: MAX_FILL_CHUNK,
    });
    const reading = await ranking.readRange(listRef(board), 1, 10);
    expect(reading?.rows.map(({ playerId }) => playerId)).toEqual(['77']);
  } finally {
    await ranking.close();
    await database.drop();
  }
});
