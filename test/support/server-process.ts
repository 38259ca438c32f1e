/** Rankcast as a process of its own, as in production: started, asked for its ports, killed or stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly pid: number;
  /** `null` where no role serves players. */
  readonly port: number | null;
  readonly adminPort: number;
  /** Everything it wrote so far. */
  output(): string;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL: what a crash looks like. */
  kill(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const READY_WITHIN_MS = 60_000;

/**
 * Resolves when the server says that it is ready; rejects with its output where it ends before that. `onStarting` is
 * called with its pid at its first line.
 */
export async function startServer(
  env: Readonly<Record<string, string>>,
  command: 'serve' | 'demo' = 'serve',
  onStarting: (pid: number) => void = () => {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [MAIN, command], {
    env: { PATH: process.env['PATH'] ?? '', RANKCAST_LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  const ready = await readyLine(child, lines, ended, onStarting);
  return {
    pid: child.pid ?? 0,
    port: ready.port,
    adminPort: ready.adminPort,
    output: () => lines.join('\n'),
    stop: async () => {
      child.kill('SIGTERM');
      return await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What became of a subcommand. */
export interface CommandEnd {
  /** `null` where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a subcommand to its end; `signal` interrupts it as Ctrl-C does. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  signal?.addEventListener('abort', () => child.kill('SIGINT'));
  const [stdout, stderr, code] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { code, stdout, stderr };
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

interface ReadyLine {
  readonly port: number | null;
  readonly adminPort: number;
}

async function readyLine(
  child: ChildProcess,
  lines: string[],
  ended: Promise<number | null>,
  onStarting: (pid: number) => void,
): Promise<ReadyLine> {
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no output');
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const reader = createInterface({ input: child.stdout });
  return await new Promise<ReadyLine>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server was not ready in time:\n${lines.join('\n')}`));
    }, READY_WITHIN_MS);
    reader.once('line', () => onStarting(child.pid ?? 0));
    reader.on('line', (line) => {
      lines.push(line);
      if (!line.includes('"server.ready"')) return;
      clearTimeout(timer);
      resolve(JSON.parse(line) as ReadyLine);
    });
    void ended.then((code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}:\n${lines.join('\n')}`));
    });
  });
}
