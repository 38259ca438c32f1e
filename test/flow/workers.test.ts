/** A server of several processes: one port, one that consumes, what dies comes back, and all of them end together. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { type Flow, startFlow } from './flow.js';
import { isAlive, type Workers, workersOf } from './workers.js';

let flow: Flow;
const servers: Workers[] = [];

beforeAll(async () => {
  flow = await startFlow();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ server }) => server.kill()));
});
afterAll(() => flow.close());

async function start(env: Readonly<Record<string, string>> = {}, onStarting?: (pid: number) => void): Promise<Workers> {
  const workers = workersOf(await startServer({ ...flow.env, RANKCAST_WORKERS: '2', ...env }, 'serve', onStarting));
  servers.push(workers);
  return workers;
}

describe('rankcast serve with several workers', () => {
  it('starts a core and two gateways, and stops them all in order', async () => {
    const { server, pids } = await start();
    expect(pids.size).toBe(3);
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/boards`);
    expect(response.status).toBeLessThan(500);
    expect(await server.stop()).toBe(0);
    expect([...pids.values()].filter(isAlive)).toEqual([]);
  });

  it('starts a worker again that died', async () => {
    const { server, pids } = await start();
    process.kill(pids.get('gateway 1') ?? 0, 'SIGKILL');
    await until(() => expect(server.output()).toContain('worker.restarted'));
    expect(server.output()).toContain('worker \\"gateway 1\\" was ended by SIGKILL');
    expect(await server.stop()).toBe(0);
  });

  it('replaces every worker at SIGHUP, and remembers once what comes meanwhile', async () => {
    const { server, pids } = await start();
    for (const replaced of [0, 1, 2]) {
      await until(() => expect(count(server.output(), 'worker.replaced')).toBe(replaced), 30_000);
      process.kill(server.pid, 'SIGHUP');
    }
    await until(() => expect(count(server.output(), 'rolling_restart workers=2')).toBe(2), 60_000);
    expect([...pids.values()].filter(isAlive)).toEqual([]);
    expect(await server.stop()).toBe(0);
    expect(count(server.output(), 'rolling_restart workers=2')).toBe(2);
  }, 90_000);

  it('takes a SIGHUP during its start for a restart after it', async () => {
    const { server } = await start({}, (pid) => process.kill(pid, 'SIGHUP'));
    await until(() => expect(count(server.output(), 'rolling_restart workers=2')).toBe(1), 60_000);
    expect(await server.stop()).toBe(0);
  }, 90_000);

  it('ends all workers in order when it is killed itself', async () => {
    const { server, pids } = await start();
    await server.kill();
    await until(() => expect([...pids.values()].filter(isAlive)).toEqual([]));
    expect(server.output()).not.toContain('not cleanly');
  });

  it('does not start beside another server on the port', async () => {
    const { server } = await start();
    await expect(start({ RANKCAST_PORT: String(server.port) })).rejects.toThrow(/port \d+ on .* cannot be listened on/);
  });

  it('ends with the sentence of a worker that cannot start', async () => {
    const failing = start({ RANKCAST_REDIS_URL: 'redis://127.0.0.1:1' });
    await expect(failing).rejects.toThrow(/rankcast: worker "core": .*Redis/);
  });
});

function count(output: string, what: string): number {
  return output.split(what).length - 1;
}
