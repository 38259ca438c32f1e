/** The built server as a process of its own, as in production: its log in a file, its ports from there, stopped whatever happens. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServerMetrics } from './server-metrics.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const MAIN = path.join(ROOT, 'dist', 'src', 'main.js');
/** As `npm start` and the image run it; src/main.ts says why. */
export const NODE_FLAGS = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
export const LOG_FOLDER = path.join(ROOT, '.rankcast', 'loadtest');
const READY_WITHIN_MS = 60_000;
/** The server gives its own stop 30 s. */
const STOP_WITHIN_MS = 35_000;
const METRICS_WITHIN_MS = 5_000;

export class ServerProcess {
  private port = 0;
  private adminPort = 0;
  private readonly killAtExit = (): void => void this.child.kill('SIGKILL');

  private constructor(
    private readonly child: ChildProcess,
    readonly logFile: string,
  ) {
    process.once('exit', this.killAtExit);
  }

  /** `env` holds the settings; nothing else of this process's settings gets through. Call `ready`, and `stop` in any case. */
  static start(env: Readonly<Record<string, string>>): ServerProcess {
    mkdirSync(LOG_FOLDER, { recursive: true });
    const logFile = path.join(LOG_FOLDER, `server-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.log`);
    const log = openSync(logFile, 'w');
    try {
      const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, 'serve'], {
        env: {
          ...environmentWithoutSettings(),
          RANKCAST_PORT: '0',
          RANKCAST_ADMIN_PORT: '0',
          RANKCAST_DRAIN_SEC: '0',
          ...env,
        },
        // A group of its own: a Ctrl-C in the terminal is ours to answer, and we stop the server in order.
        detached: true,
        stdio: ['ignore', log, log],
      });
      return new ServerProcess(child, logFile);
    } finally {
      closeSync(log);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** `http://127.0.0.1:<port>` of sockets and HTTP. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Rejects with the end of the log where the server ends or is not ready in time. */
  async ready(signal: AbortSignal, withinMs = READY_WITHIN_MS): Promise<void> {
    const deadlineAt = performance.now() + withinMs;
    while (performance.now() < deadlineAt && !this.hasEnded) {
      const ports = findReadyPorts(readFileSync(this.logFile, 'utf8'));
      if (ports !== null) {
        this.port = ports.port;
        this.adminPort = ports.adminPort;
        return;
      }
      await sleep(50, undefined, { signal });
    }
    const said = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
    const what = this.hasEnded ? 'ended while starting' : `was not ready within ${withinMs / 1_000} s`;
    throw new Error(`the server ${what}; the end of ${this.logFile}:\n${said}`);
  }

  async metrics(): Promise<ServerMetrics> {
    const signal = AbortSignal.timeout(METRICS_WITHIN_MS);
    const response = await fetch(`http://127.0.0.1:${this.adminPort}/metrics`, { signal });
    if (!response.ok) throw new Error(`GET /metrics answers ${response.status}`);
    return new ServerMetrics(await response.text());
  }

  /** SIGTERM, and SIGKILL when that does not end it in time. Answers whether it stopped in order. */
  async stop(): Promise<boolean> {
    process.off('exit', this.killAtExit);
    if (this.child.pid === undefined) return false;
    if (!this.hasEnded) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(late);
    }
    return this.child.exitCode === 0;
  }
}

/** The ports of the line `server.ready`, `null` while there is none. */
export function findReadyPorts(log: string): { readonly port: number; readonly adminPort: number } | null {
  for (const line of log.split('\n')) {
    // The last line may be half written.
    if (!line.includes('"server.ready"') || !line.endsWith('}')) continue;
    const { port, adminPort } = JSON.parse(line) as { port?: unknown; adminPort?: unknown };
    if (typeof port === 'number' && typeof adminPort === 'number') return { port, adminPort };
  }
  return null;
}

export function environmentWithoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('RANKCAST_')));
}
