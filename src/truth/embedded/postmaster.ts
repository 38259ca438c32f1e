/**
 * Starts, finds and stops the server process of one cluster.
 *
 * The server outlives us when we are killed, so a start first looks for one that still runs. Its `postmaster.pid` is
 * PostgreSQL's own lock on the folder: we read it and never remove it.
 */
import { spawn } from 'node:child_process';
import { open, readFile, readlink, realpath, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefusedError } from '../../domain/errors.js';
import type { PostgresBinaries } from './binaries.js';
import { isProcessAlive } from './cluster-folder.js';
import type { ServerUser } from './server-user.js';
import { asServerUser } from './server-user.js';

const START_DEADLINE_MS = 120_000;
const STOP_DEADLINE_SEC = 60;
const POLL_MS = 20;
const MAX_ATTEMPTS = 20;
/** What the log says when another server or its last backends are just leaving, or the port was taken meanwhile. */
const PASSING_TROUBLE = /still in use|already in use|could not create any TCP\/IP sockets|lock file "postmaster.pid"/;

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** True when it ran before us; then it is not our child. */
  readonly isAdopted: boolean;
  /** Resolves when our child has ended; at once for an adopted server. */
  readonly exited: Promise<void>;
}

export interface PostmasterOptions {
  readonly binaries: PostgresBinaries;
  readonly user: ServerUser | null;
  readonly clusterDir: string;
  readonly logFile: string;
  /** Server settings by name. */
  readonly settings: Readonly<Record<string, string>>;
}

type PidFile = { readonly pid: number; readonly port: number; readonly status: string };

/** A running server of that cluster, adopted or started; its port is a free one on 127.0.0.1. */
export async function runPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const deadlineAt = Date.now() + START_DEADLINE_MS;
  let complaint = '';
  for (let attempt = 0; attempt < MAX_ATTEMPTS && Date.now() < deadlineAt; attempt += 1) {
    const found = await waitForRunning(options.clusterDir, deadlineAt);
    if (found !== null) return { ...found, isAdopted: true, exited: Promise.resolve() };
    const outcome = await launch(options, deadlineAt);
    if (typeof outcome !== 'string') return outcome;
    complaint = outcome;
    if (!PASSING_TROUBLE.test(complaint)) break;
    await sleep(300);
  }
  throw new StartRefusedError(
    `The embedded PostgreSQL did not start: ${complaint} (its log is ${options.logFile}; set RANKCAST_DATABASE_URL to use another).`,
  );
}

/** Stops the server in the fast mode (open transactions are rolled back) and waits until it is gone. */
export async function stopPostmaster(options: PostmasterOptions, postmaster: Postmaster): Promise<boolean> {
  if ((await findRunning(options.clusterDir)) !== null) {
    await new Promise<void>((resolve) => {
      const args = ['stop', '-D', options.clusterDir, '-m', 'fast', '-w', '-t', String(STOP_DEADLINE_SEC)];
      // Detached like the server: a second Ctrl-C must not end the wait.
      const child = spawn(options.binaries.pgCtl, args, {
        ...asServerUser(options.user),
        stdio: 'ignore',
        detached: true,
      });
      child.on('error', () => resolve());
      child.on('close', () => resolve());
    });
    if ((await findRunning(options.clusterDir)) !== null) return false;
  }
  await postmaster.exited;
  return true;
}

async function launch(options: PostmasterOptions, deadlineAt: number): Promise<Postmaster | string> {
  const port = await findFreePort();
  await rename(options.logFile, `${options.logFile}.1`).catch(() => undefined);
  const log = await open(options.logFile, 'a', 0o600);
  const stalePid = await findStalePid(options.clusterDir);
  const child = spawn(options.binaries.postgres, ['-D', options.clusterDir, '-p', String(port), ...flags(options)], {
    ...asServerUser(options.user),
    // Its own session: a terminal's Ctrl-C reaches us alone, and we stop the database last.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: {
      // Our own environment holds secrets that are no business of the server.
      ...pick(process.env, ['PATH', 'SystemRoot', 'TMPDIR']),
      LC_ALL: 'C',
      // How pg_ctl tells PostgreSQL that a living process named in postmaster.pid is no server; see findStalePid.
      ...(stalePid === null ? {} : { PG_GRANDPARENT_PID: String(stalePid) }),
    },
  });
  await log.close();
  let end: string | null = null;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      end = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      end = `it ended with ${signal ?? code}`;
      resolve();
    });
  });
  child.unref();
  while (end === null && Date.now() < deadlineAt) {
    const file = await readPidFile(options.clusterDir);
    if (file !== null && file.pid === child.pid && file.status === 'ready') {
      return { pid: file.pid, port: file.port, isAdopted: false, exited };
    }
    await sleep(POLL_MS);
  }
  const said = (await readFile(options.logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join(' ');
  return said || end || `it was not ready within ${START_DEADLINE_MS / 1000} s`;
}

function flags(options: PostmasterOptions): string[] {
  return Object.entries(options.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** The cluster's running server once it is ready, or null when there is none or it has just gone. */
async function waitForRunning(clusterDir: string, deadlineAt: number): Promise<{ pid: number; port: number } | null> {
  for (;;) {
    const running = await findRunning(clusterDir);
    if (running === null) return null;
    if (running.status === 'ready') return { pid: running.pid, port: running.port };
    if (Date.now() > deadlineAt) {
      throw new StartRefusedError(
        `The PostgreSQL with process number ${running.pid} that runs on ${clusterDir} stays "${running.status}": stop it, then start again.`,
      );
    }
    await sleep(POLL_MS);
  }
}

async function findRunning(clusterDir: string): Promise<PidFile | null> {
  const file = await readPidFile(clusterDir);
  return file !== null && (await isServerOf(clusterDir, file.pid)) ? file : null;
}

/**
 * The number in `postmaster.pid` when it now belongs to a process that is no server of this cluster, as happens after a
 * restart of the machine or container. PostgreSQL would refuse to start, for it cannot tell.
 */
async function findStalePid(clusterDir: string): Promise<number | null> {
  const file = await readPidFile(clusterDir);
  return file !== null && isProcessAlive(file.pid) && !(await isServerOf(clusterDir, file.pid)) ? file.pid : null;
}

/** A server works in its cluster's folder, which Linux shows; elsewhere a living process has to be believed. */
async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!isProcessAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  const workingDir = await readlink(`/proc/${pid}/cwd`).catch(() => null);
  return workingDir === (await realpath(clusterDir));
}

async function readPidFile(clusterDir: string): Promise<PidFile | null> {
  const text = await readFile(path.join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  // The later lines appear one by one while the server starts.
  return Number.isInteger(pid) && pid > 0
    ? { pid, port: Number.parseInt(lines[3] ?? '', 10), status: lines[7]?.trim() || 'starting' }
    : null;
}

async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function pick(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
