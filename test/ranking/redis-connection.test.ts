/** What a Redis must be, checked before anything is written to it. */
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { StartRefusedError } from '../../src/domain/errors.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { type RedisServer, type RedisServerOptions, startRedisServer } from '../stack/redis-server.js';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('takes a primary that never evicts, and tells its version', async () => {
  const server = await start();
  expect((await rankingOn(server).check()).version).toBe(server.version);
});

it('refuses a server that may evict keys', async () => {
  const server = await start();
  await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await expect(rankingOn(server).check()).rejects.toThrow(StartRefusedError);
  await expect(rankingOn(server).check()).rejects.toThrow(/allkeys-lru.*noeviction/);
});

it('refuses a replica, which nobody can write to', async () => {
  const primary = await start();
  const replica = await start({ replicaOf: { host: '127.0.0.1', port: primary.port } });
  await expect(rankingOn(replica).check()).rejects.toThrow(/no Redis primary/);
});

async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
  const server = await startRedisServer(options);
  cleanups.push(() => server.stop());
  return server;
}

function rankingOn(server: RedisServer): RedisRanking {
  const ranking = new RedisRanking({ url: server.url, prefix: 'check', logger: pino({ level: 'silent' }) });
  cleanups.push(() => ranking.close());
  return ranking;
}
