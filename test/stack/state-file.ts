/** What is running and who uses it, on disk, so that later commands and other test runs find it. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessMark } from './child-process.js';
import { isSameProcessAlive, markProcess } from './child-process.js';
import { stackDir } from './folders.js';

export type ServiceName = 'postgres' | 'redis' | 'kafka';

/** One server of the stack. */
export interface Service {
  /** A URL, for Kafka a comma-separated list of brokers. */
  readonly address: string;
  /** What the summary prints, such as `apache-4.3.1`. */
  readonly label: string;
  /** Null for a server that somebody else runs; we never stop that. */
  readonly mark: ProcessMark | null;
}

export interface StackState {
  /** Whether `up` started it, so that no test run stops it. */
  readonly isKept: boolean;
  readonly services: Partial<Record<ServiceName, Service>>;
}

const stateFile = path.join(stackDir, 'state.json');
const usersDir = path.join(stackDir, 'users');
const lockDir = path.join(stackDir, 'lock');

export async function readState(): Promise<StackState> {
  try {
    return JSON.parse(await readFile(stateFile, 'utf8')) as StackState;
  } catch {
    return { isKept: false, services: {} };
  }
}

export async function writeState(state: StackState): Promise<void> {
  // Replaced in one step: a reader never sees half of it.
  await writeFile(`${stateFile}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${stateFile}.new`, stateFile);
}

/** Runs `work` while no other process starts or stops servers of this checkout. */
export async function withStackLock<T>(work: () => Promise<T>): Promise<T> {
  await mkdir(stackDir, { recursive: true });
  const self = markProcess(process.pid);
  while (!(await tryLock(self))) await sleep(100);
  try {
    return await work();
  } finally {
    await rm(lockDir, { recursive: true, force: true });
  }
}

/** Enters this process as a user of the stack; a run that was killed stops counting by itself. */
export async function enterUser(): Promise<void> {
  await mkdir(usersDir, { recursive: true });
  await writeFile(path.join(usersDir, String(process.pid)), JSON.stringify(markProcess(process.pid)));
}

/** Leaves, and says whether nobody else uses the stack. */
export async function leaveUser(): Promise<boolean> {
  await rm(path.join(usersDir, String(process.pid)), { force: true });
  let others = 0;
  for (const name of await readdir(usersDir).catch(() => [])) {
    const mark = await readMark(path.join(usersDir, name));
    if (mark !== null && isSameProcessAlive(mark)) others += 1;
    else await rm(path.join(usersDir, name), { force: true });
  }
  return others === 0;
}

async function tryLock(self: ProcessMark): Promise<boolean> {
  const ownDir = `${lockDir}-${randomBytes(6).toString('hex')}`;
  await mkdir(ownDir);
  await writeFile(path.join(ownDir, 'owner'), JSON.stringify(self));
  try {
    // A rename onto a folder with something in it fails, so the lock never exists without its owner's name.
    await rename(ownDir, lockDir);
    return true;
  } catch {
    const owner = await readMark(path.join(lockDir, 'owner'));
    if (owner !== null && !isSameProcessAlive(owner)) await breakLock(`${ownDir}-stale`);
    return false;
  } finally {
    await rm(ownDir, { recursive: true, force: true });
  }
}

/** Moved away first, then looked at again: meanwhile another may have broken the old lock and taken a new one. */
async function breakLock(staleDir: string): Promise<void> {
  await rename(lockDir, staleDir).catch(() => undefined);
  const owner = await readMark(path.join(staleDir, 'owner'));
  if (owner !== null && isSameProcessAlive(owner)) await rename(staleDir, lockDir).catch(() => undefined);
  await rm(staleDir, { recursive: true, force: true });
}

async function readMark(file: string): Promise<ProcessMark | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessMark;
  } catch {
    return null;
  }
}
