import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { isSameProcessAlive } from './child-process.js';
import { startRedisServer } from './redis-server.js';

test('starts a master and a replica that is linked when it resolves', async () => {
  const master = await startRedisServer();
  const replica = await startRedisServer({ replicaOf: { host: '127.0.0.1', port: master.port } });
  const client = new Redis(master.url);
  await client.set('a', '1');
  expect(await client.wait(1, 5_000)).toBe(1);
  client.disconnect();
  await replica.stop();
  await master.stop();
  expect([master, replica].map((server) => isSameProcessAlive(server.mark))).toEqual([false, false]);
});

test('takes a port and more arguments, and can be killed and started again there, empty', async () => {
  const first = await startRedisServer({ extraArgs: ['--maxmemory', '64mb'] });
  const client = new Redis(first.url);
  expect(await client.config('GET', 'maxmemory')).toEqual(['maxmemory', String(64 * 1024 * 1024)]);
  await client.set('a', '1');
  client.disconnect();
  await first.kill();
  const second = await startRedisServer({ port: first.port });
  const again = new Redis(second.url);
  expect(await again.get('a')).toBeNull();
  again.disconnect();
  await second.stop();
});

test('says why a server did not start', async () => {
  await expect(startRedisServer({ extraArgs: ['--no-such-setting', '1'] })).rejects.toThrow(
    /ended while starting.*no-such-setting/s,
  );
});
