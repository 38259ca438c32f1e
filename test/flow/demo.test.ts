/**
 * `npm run demo` as a person meets it: a page that moves, a clean stop, and boards that are there again.
 *
 * Act: start, watch the top, Ctrl-C, start, SIGKILL, start. Expect: the top moves within seconds, the stop is clean and
 * takes the database along, and no start loses what an earlier one had shown.
 */
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClient, type RankedEntry, type View, type WindowState } from '../../src/client/index.js';
import { makeDataFolder } from '../support/data-folder.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { until } from '../support/until.js';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('moves within seconds, stops cleanly, and keeps the boards, also after a kill', { timeout: 120_000 }, async () => {
  const folder = await makeDataFolder();
  cleanups.push(() => folder.remove());

  const first = await startDemo(folder.path);
  const firstTop = await watchTop(first);
  const seen = await until(() => movedTop(firstTop, 5));
  expect(await pageOf(first)).toContain('<script type="module"');
  expect(await first.stop()).toBe(0);
  expect(first.output()).toMatch(/\nstopped$/);
  expect(isAlive(databasePid(first))).toBe(false);

  const second = await startDemo(folder.path);
  const secondTop = await watchTop(second);
  expectKept(secondTop, seen);
  const seenSecond = await until(() => movedTop(secondTop, 5));
  await second.kill();

  const third = await startDemo(folder.path);
  expectKept(await watchTop(third), seenSecond);
});

test('refuses to share a data folder with a living server', { timeout: 60_000 }, async () => {
  const folder = await makeDataFolder();
  cleanups.push(() => folder.remove());
  await startDemo(folder.path);

  await expect(startDemo(folder.path)).rejects.toThrow(/rankcast: .*(another|already|in use)/i);
});

async function startDemo(dataDir: string): Promise<ServerProcess> {
  const server = await startServer(
    { RANKCAST_DATA_DIR: dataDir, RANKCAST_PORT: '0', RANKCAST_ADMIN_PORT: '0' },
    'demo',
  );
  cleanups.push(() => server.stop());
  return server;
}

async function watchTop(server: ServerProcess): Promise<View<WindowState<RankedEntry>>> {
  const client = createClient({ url: `http://127.0.0.1:${server.port}`, WebSocket });
  cleanups.push(async () => client.close());
  const top = client.top('arena');
  await top.ready();
  return top;
}

/** The top after at least so many changes; throws while there are fewer. */
function movedTop(top: View<WindowState<RankedEntry>>, changes: number): readonly RankedEntry[] {
  expect(top.current?.seq).toBeGreaterThan(changes);
  return top.current?.entries ?? [];
}

/** Rows that a database without the last milliseconds before a kill still has: scores only ever rise. */
function expectKept(top: View<WindowState<RankedEntry>>, before: readonly RankedEntry[]): void {
  const scores = new Map(top.current?.entries.map((row) => [row.playerId, row.score]));
  for (const row of before.slice(0, 20)) expect(scores.get(row.playerId)).toBeGreaterThanOrEqual(row.score);
}

async function pageOf(server: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  expect(response.status).toBe(200);
  return await response.text();
}

function databasePid(server: ServerProcess): number {
  const line = server
    .output()
    .split('\n')
    .find((text) => text.includes('PostgreSQL is running'));
  return (JSON.parse(line ?? '{}') as { pid: number }).pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
