/** Servers that change hands: each restart and promotion is a new history, also where nobody plays. */

import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import { SEASON_LIST } from '../../src/domain/lists.js';
import type { SubmitBatch } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { DEFINITION, present } from '../contract/ranking-fixture.js';
import { type RedisServer, startRedisServer } from '../stack/redis-server.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const TAG = { boardId: 'arena', seasonId: '1' };
const LOG = { source: 'kafka:match-results', partition: 0 };

function batch(from: number, ...points: number[]): SubmitBatch {
  const lists = SEASON_LISTS;
  const results = points.map((score, index) => ({
    playerId: `p${score}`,
    score,
    lists,
    offset: from + index,
    at: 1_000,
  }));
  return { ...LOG, from, to: from + points.length, results };
}

let master: RedisServer;
let proxy: TcpProxy;
let ranking: RedisRanking;
beforeEach(async () => {
  master = await startRedisServer();
  proxy = await startTcpProxy();
  proxy.setTarget('127.0.0.1', master.port);
  ranking = new RedisRanking({
    url: `redis://127.0.0.1:${proxy.port}`,
    prefix: 'lb',
    logger: pino({ level: 'silent' }),
  });
  await ranking.begin(TAG, DEFINITION, { jobId: 'job', positions: [], hidden: [] });
  await ranking.finish(TAG, 'job', 0, EMPTY_SUM);
  await submit(batch(0, 1, 2, 3));
});
afterEach(async () => {
  await ranking.close();
  await proxy.close();
  await master.stop();
});

async function epoch(): Promise<number> {
  return present(await ranking.state(TAG)).epoch;
}

/** As a consumer does: again while the server cannot take it. */
async function submit(some: SubmitBatch) {
  for (let tries = 0; ; tries++) {
    try {
      return await ranking.submit(TAG, DEFINITION.hash, some);
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(50);
    }
  }
}

async function points(): Promise<number[]> {
  const list = { tag: TAG, definitionHash: DEFINITION.hash, list: SEASON_LIST };
  return present(await ranking.readRange(list, 1, 10)).rows.map(({ score }) => score);
}

describe('RedisRanking over a failover', () => {
  it('begins a new epoch on a server that was demoted and promoted back, before anything is written', async () => {
    const before = await epoch();
    const runId = async () => /run_id:(\w+)/.exec(String(await master.command('INFO', 'server')))?.[1];
    const sameProcess = await runId();
    await master.command('REPLICAOF', '127.0.0.1', '1');
    await master.command('REPLICAOF', 'NO', 'ONE');
    expect(await submit(batch(3, 4))).toMatchObject({ kind: 'done', next: 4, outcomes: ['applied'] });
    expect(await runId()).toBe(sameProcess);
    expect(await epoch()).not.toBe(before);
    expect(await points()).toEqual([4, 3, 2, 1]);
  });

  it('keeps the epoch where nothing changed hands', async () => {
    const before = await epoch();
    await submit(batch(3, 4));
    await submit(batch(4));
    expect(await epoch()).toBe(before);
  });

  it('opens no hole on a replica that lacks the last results, nor when only positions are confirmed', async () => {
    const replica = await startRedisServer({ replicaOf: { host: '127.0.0.1', port: master.port } });
    try {
      const before = await epoch();
      await until(async () => expect(await replica.command('ZCARD', 'lb:{arena:s1}:1:s')).toBe(3));
      // From here on the replica hears nothing more.
      await replica.command('REPLICAOF', '127.0.0.1', '1');
      await submit(batch(3, 4, 5));
      await replica.command('REPLICAOF', 'NO', 'ONE');
      proxy.setTarget('127.0.0.1', replica.port);
      await master.kill();
      // Nobody plays: the confirmation of what the consumer was last answered tells it where the board stands.
      expect(await submit(batch(5))).toEqual({ kind: 'behind', next: 3 });
      expect(await submit(batch(3, 4, 5))).toMatchObject({ kind: 'done', next: 5, outcomes: ['applied', 'applied'] });
      expect(await epoch()).not.toBe(before);
      expect(await points()).toEqual([5, 4, 3, 2, 1]);
    } finally {
      await replica.stop();
    }
  });

  it('takes nothing twice from a consumer that was replaced and does not know it', async () => {
    await submit(batch(3, 4, 5));
    // The zombie was last answered 3, and brings the same records once more, and some that it alone has read.
    expect(await submit(batch(3, 4, 5))).toMatchObject({ kind: 'done', next: 5, outcomes: ['skipped', 'skipped'] });
    expect(await submit(batch(3, 4, 5, 6))).toMatchObject({ next: 6, outcomes: ['skipped', 'skipped', 'applied'] });
    expect(await submit(batch(5, 6, 7))).toMatchObject({ next: 7, outcomes: ['skipped', 'applied'] });
    expect(await points()).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
});
