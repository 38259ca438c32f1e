/** Starts servers that outlive us in process groups of their own, and stops exactly those, never a namesake. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stackDir } from './folders.js';

const startedDir = path.join(stackDir, 'started');

/** Which process, not only which number: numbers are given out again. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, in the system's own words; empty means the process has already ended. */
  readonly began: string;
}

export interface DetachedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly cwd?: string;
}

/** Starts a server with its output in a file; it neither keeps this process alive nor ends with it. */
export async function startDetached(options: DetachedCommand): Promise<ProcessMark> {
  const log = await open(options.logFile, 'w');
  const child = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const started = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
  await started;
  await log.close();
  const mark = markProcess(child.pid ?? 0);
  // Noted at once: whatever interrupts the rest of the start, the end of the stack finds it.
  await mkdir(startedDir, { recursive: true });
  await writeFile(path.join(startedDir, String(mark.pid)), JSON.stringify(mark));
  return mark;
}

/** Stops all that `startDetached` started and nobody has stopped. */
export async function stopStarted(): Promise<void> {
  for (const name of await readdir(startedDir).catch(() => [])) {
    const text = await readFile(path.join(startedDir, name), 'utf8').catch(() => '');
    if (text !== '') await stopProcess(JSON.parse(text) as ProcessMark);
    await rm(path.join(startedDir, name), { force: true });
  }
}

export function markProcess(pid: number): ProcessMark {
  return { pid, began: readBegan(pid) };
}

export function isSameProcessAlive(mark: ProcessMark): boolean {
  return mark.began !== '' && readBegan(mark.pid) === mark.began;
}

/** Asks the process to end, waits, and kills it when it has not within the deadline. */
export async function stopProcess(
  mark: ProcessMark,
  { signal = 'SIGTERM', deadlineMs = 20_000 }: { signal?: NodeJS.Signals; deadlineMs?: number } = {},
): Promise<void> {
  const deadlineAt = Date.now() + deadlineMs;
  if (isSameProcessAlive(mark)) process.kill(mark.pid, signal);
  while (isSameProcessAlive(mark) && Date.now() < deadlineAt) await sleep(25);
  if (isSameProcessAlive(mark)) process.kill(mark.pid, 'SIGKILL');
  while (isSameProcessAlive(mark)) await sleep(25);
  await rm(path.join(startedDir, String(mark.pid)), { force: true });
}

/** A client that connects to a server which is just starting may wait for an answer for ever. */
const ATTEMPT_MS = 5_000;

/** Rejects when the work is not done in time; the work itself goes on unheard. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  try {
    const late = sleep(limitMs, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`no answer within ${limitMs} ms`);
    });
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}

/** Calls `attempt` until it succeeds; a server that has ended fails at once with the end of its log. */
export async function waitUntilReady<T>(
  name: string,
  mark: ProcessMark,
  logFile: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadlineAt = Date.now() + 60_000;
  for (;;) {
    try {
      return await within(ATTEMPT_MS, attempt());
    } catch (error) {
      const hasEnded = !isSameProcessAlive(mark);
      if (hasEnded || Date.now() > deadlineAt) {
        const said = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
        const what = hasEnded ? 'ended while starting' : 'did not answer within 60 s';
        await stopProcess(mark);
        throw new Error(`${name} ${what}; the end of ${logFile}:\n${said}`, { cause: error });
      }
    }
    await sleep(50);
  }
}

/** A port that was free a moment ago on 127.0.0.1. */
export async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export function isOnPath(command: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', command], { stdio: 'ignore' }).status === 0;
}

/** Empty for a process that has ended, reaped or not. */
function readBegan(pid: number): string {
  try {
    if (process.platform !== 'linux') {
      // "Mon Nov 30 14:05:47 2026", before it a state such as "Ss" or, for a dead one, "Z".
      const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
      return line.startsWith('Z') ? '' : line.replace(/^\S+\s+/, '');
    }
    // The program's name, in brackets, may itself hold brackets and spaces; counted after it, state and start time.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
