/** What a server does beside its consumer when it starts to rank. */

import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { type ConsumerOptions, startRanking } from '../../src/app/consumers.js';
import { readConfig } from '../../src/config.js';
import { BoardSeasons } from '../../src/domain/board-season.js';
import { type Tag, tagName } from '../../src/domain/tag.js';
import { Lifecycle } from '../../src/ops/lifecycle.js';
import { Metrics } from '../../src/ops/metrics.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { boardSet } from '../results/log-fixture.js';
import { silent } from '../truth/truth-database.js';

it('drops what killed rebuilds left of every open board, while it serves', async () => {
  const seasons = new BoardSeasons(boardSet);
  const swept: string[] = [];
  const ranking = new MemoryRanking();
  let isHeld = true;
  ranking.sweep = async (...[tag]: readonly Tag[]) => {
    await vi.waitFor(() => expect(isHeld).toBe(false));
    if (tag !== undefined) swept.push(tagName(tag));
    return swept.length === 1;
  };
  const lifecycle = new Lifecycle({ logger: silent });
  const metrics = new Metrics({ version: '1', proto: 'p' });
  const log = { consume: async () => ({ close: async () => {} }) } as unknown as ConsumerOptions['stores']['log'];
  // Nobody asks a database of a board without marks.
  const stores = { pool: new pg.Pool(), ranking, log };
  const config = readConfig({ RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef' });
  const stopping = new AbortController().signal;
  await startRanking({ config, seasons, stores, lifecycle, logger: silent, metrics, stopping });
  expect(swept).toEqual([]);
  isHeld = false;
  await vi.waitFor(() => expect(swept).toEqual(['arena:s1', 'arena:s1']));
  await lifecycle.stop();
  metrics.close();
  await ranking.close();
});
