/**
 * The measured server on a processor of its own. Left alone, the kernel puts a process that another one wakes beside it, on
 * the same core, while the second core idles: then a frame waits until the generator has finished its turn, which says nothing of
 * the server. A server with a core of its own is also how one runs a gateway that must be quick.
 */

import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

export type CorePinning = ReturnType<typeof pinApart>;

/**
 * Keeps this process, and what it starts from now on, off the last core. Services that ran before stay where they are. Does nothing
 * where there is one core, or no `taskset` (of util-linux).
 */
export function pinApart() {
  const cores = availableParallelism();
  const isPinned = cores >= 2 && tryTaskset(`0-${cores - 2}`, process.pid);
  return {
    isPinned,
    /** Gives the last core to a process, with all threads that it has. */
    giveOwnCore(pid: number): void {
      if (isPinned && !tryTaskset(String(cores - 1), pid))
        throw new Error(`cannot give process ${pid} a core of its own`);
    },
  };
}

function tryTaskset(cores: string, pid: number): boolean {
  try {
    execFileSync('taskset', ['-acp', cores, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
