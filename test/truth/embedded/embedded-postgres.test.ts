/** The embedded database through what a studio's machine does to it: restarts, kills, half-made folders. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StartRefusedError } from '../../../src/domain/errors.js';
import type { EmbeddedPostgres } from '../../../src/truth/embedded/embedded-postgres.js';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '../../../src/truth/embedded/embedded-postgres.js';
import { isSameProcessAlive, markProcess, stopProcess } from '../../stack/child-process.js';

let tempDir: string;
let dataDir: string;
let started: EmbeddedPostgres[];

beforeEach(async () => {
  tempDir = await mkdtemp(path.join(tmpdir(), 'rankcast-embedded-'));
  await chmod(tempDir, 0o755);
  dataDir = path.join(tempDir, 'data');
  started = [];
});

afterEach(async () => {
  for (const server of started) await server.stop();
  await rm(tempDir, { recursive: true, force: true });
});

async function start(folder = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir: folder, logger: pino({ level: 'silent' }) });
  started.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, statement: string): Promise<unknown[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>({ text: statement });
    return result.rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

test('starts an empty durable database in a folder that does not exist yet', async () => {
  const server = await start();
  expect(server.version).toMatch(/^18\./);
  expect(await query(server, 'SHOW fsync')).toEqual(['on']);
  expect(await query(server, 'SHOW server_encoding')).toEqual(['UTF8']);
  expect(await query(server, `SELECT datcollate FROM pg_database WHERE datname = current_database()`)).toEqual(['C']);
});

test('has room for the locks of two reads of a whole season of five years', async () => {
  const server = await start();
  const [locks] = await query(server, 'SHOW max_locks_per_transaction');
  const [connections] = await query(server, 'SHOW max_connections');
  // Each day's table and, where boards rank guilds and the like, seven indexes.
  expect(Number(locks) * Number(connections)).toBeGreaterThan(2 * 5 * 366 * 8);
});

test('keeps what was written over a stop and a start', async () => {
  const first = await start();
  await query(first, `CREATE TABLE kept AS SELECT 'before the stop' AS note`);
  await first.stop();
  const second = await start();
  expect(await query(second, 'SELECT note FROM kept')).toEqual(['before the stop']);
});

test('leaves no process after a stop, however often it is asked', async () => {
  const server = await start();
  const mark = markProcess(server.pid);
  expect(isSameProcessAlive(mark)).toBe(true);
  await Promise.all([server.stop(), server.stop()]);
  expect(isSameProcessAlive(mark)).toBe(false);
});

test('runs in a process group of its own, out of reach of a terminal', async () => {
  const server = await start();
  const stat = await readFile(`/proc/${server.pid}/stat`, 'utf8');
  const processGroup = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  expect(processGroup).toBe(server.pid);
});

test('takes over the server of a process that was killed, with its rows', async () => {
  const script = fileURLToPath(new URL('./start-and-wait.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  const server = await start();
  expect(await query(server, 'SELECT note FROM kept')).toEqual(['before the kill']);
  const mark = markProcess(server.pid);
  await server.stop();
  expect(isSameProcessAlive(mark)).toBe(false);
});

test('starts after the server itself was killed and its process number went to a stranger', async () => {
  const first = await start();
  await query(first, `CREATE TABLE kept AS SELECT 'before the crash' AS note`);
  await stopProcess(markProcess(first.pid), { signal: 'SIGKILL' });
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    const pidFile = path.join(dataDir, 'cluster', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await writeFile(pidFile, text.replace(/^\d+/, String(stranger.pid)));
    await first.stop();
    expect(stranger.exitCode).toBeNull();
    const second = await start();
    expect(await query(second, 'SELECT note FROM kept')).toEqual(['before the crash']);
  } finally {
    stranger.kill();
  }
});

test('refuses a folder that a living rankcast uses, names that process, and leaves its server alone', async () => {
  const first = await start();
  const refusal = await startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }) }).catch((e: unknown) => e);
  expect(refusal).toBeInstanceOf(StartRefusedError);
  expect(String(refusal)).toContain(`in use by another rankcast (process ${process.pid})`);
  expect(await query(first, 'SELECT 1')).toEqual([1]);
});

test('lets go of a server without stopping it, for the next start to take over', async () => {
  const first = await start();
  await first.detach();
  const second = await start();
  expect(second.pid).toBe(first.pid);
});

test('gives two starts at the same moment one database and one winner', async () => {
  const outcomes = await Promise.allSettled([start(), start()]);
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await readdir(dataDir)).not.toContainEqual(expect.stringMatching(/^cluster-new/));
});

test('is not blocked by an initdb that was interrupted, and clears it away', async () => {
  const dead = spawn('true');
  await once(dead, 'close');
  const leftover = path.join(dataDir, `cluster-new-${dead.pid}-00000000`);
  await mkdir(leftover, { recursive: true });
  await writeFile(path.join(leftover, 'PG_VERSION'), '18\n');
  const server = await start();
  expect(await query(server, 'SELECT 1')).toEqual([1]);
  expect(await readdir(dataDir)).not.toContain(path.basename(leftover));
});

test('keeps the password from other users of the machine', async () => {
  const server = await start();
  const wrong = new URL(server.url);
  wrong.password = 'guess';
  const client = new pg.Client(wrong.href);
  await expect(client.connect()).rejects.toThrow(/password authentication failed/);
});

test('refuses a database whose password file was changed, and leaves no process behind', async () => {
  const first = await start();
  await first.stop();
  await writeFile(path.join(dataDir, 'cluster', 'rankcast-password'), 'another\n');
  await expect(start()).rejects.toThrow(/cannot be used: password authentication failed/);
  expect(await readdir(path.join(dataDir, 'cluster'))).not.toContain('postmaster.pid');
});

test('works below a folder that no other user may enter', async () => {
  const closedDir = path.join(tempDir, 'closed');
  await mkdir(closedDir, { mode: 0o700 });
  const server = await start(path.join(closedDir, 'data'));
  await query(server, `CREATE TABLE kept AS SELECT 'closed' AS note`);
  await server.stop();
  expect(await query(await start(path.join(closedDir, 'data')), 'SELECT note FROM kept')).toEqual(['closed']);
  for (const each of started) await each.stop();
  await removeEmbeddedPostgres(path.join(closedDir, 'data'));
});

test('refuses the files of another PostgreSQL version with a sentence', async () => {
  await mkdir(path.join(dataDir, 'cluster'), { recursive: true });
  await writeFile(path.join(dataDir, 'cluster', 'PG_VERSION'), '15\n');
  await expect(start()).rejects.toThrow(/was made by PostgreSQL 15 and this is PostgreSQL 18/);
  await expect(start()).rejects.toBeInstanceOf(StartRefusedError);
});

test('refuses a data folder that is a file with a sentence', async () => {
  await writeFile(dataDir, '');
  await expect(start()).rejects.toBeInstanceOf(StartRefusedError);
  await expect(start()).rejects.toThrow(/cannot be used .* name a folder/);
});
