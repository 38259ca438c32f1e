/** What a server of several processes says of its workers. */

import type { ServerProcess } from '../support/server-process.js';

export interface Workers {
  readonly server: ServerProcess;
  /** By name, as they were when it was ready. */
  readonly pids: ReadonlyMap<string, number>;
}

interface ReadyLine {
  readonly workers?: readonly { readonly name: string; readonly pid: number }[];
}

export function workersOf(server: ServerProcess): Workers {
  const line = server
    .output()
    .split('\n')
    .find((text) => text.includes('"server.ready"'));
  const { workers = [] } = JSON.parse(line ?? '{}') as ReadyLine;
  return { server, pids: new Map(workers.map(({ name, pid }) => [name, pid])) };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
