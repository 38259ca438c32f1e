/** Calls of the ranking that are under way when Redis is cut off behind an address that still accepts. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { listRef } from '../../src/domain/board-season.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { boardSeasonOf } from '../support/definitions.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { silent } from '../truth/truth-database.js';

const SCOPE = boardSeasonOf();

let redis: TestRedis;
let proxy: TcpProxy;
let ranking: RedisRanking;
beforeEach(async () => {
  redis = await testRedis();
  proxy = await startTcpProxy();
  const { hostname, port } = new URL(redis.url);
  proxy.setTarget(hostname, Number(port));
  const prefix = redis.keyPrefix.slice(0, -1);
  ranking = new RedisRanking({ url: `redis://127.0.0.1:${proxy.port}`, prefix, logger: silent });
  await ranking.check();
});
afterEach(async () => {
  await ranking.close();
  await proxy.close();
  await redis.drop();
});

it('are refused within seconds, so that callers can say 503 and stop', async () => {
  const read = () => ranking.readRange(listRef(SCOPE), 1, 10);
  expect(await read()).toBeNull();
  // Connections are taken and closed at once, as a balancer does that has no server left.
  proxy.setTarget('127.0.0.1', 1);
  await expect(read()).rejects.toThrow('Redis could not run');
}, 15_000);
