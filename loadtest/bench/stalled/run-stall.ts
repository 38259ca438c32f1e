/** The run of the bench `stalled`: all read, then some stop, then some of these go on, under one and the same load. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Close } from '../../lib/guarded-run.js';
import { MeasuredWindows } from '../../lib/measured-windows.js';
import { dueAtMs, runOpenLoop } from '../../lib/open-loop.js';
import { progress } from '../../lib/report.js';
import type { BoardLoad } from '../gateway/board-load.js';
import type { StalledOptions } from './options.js';
import type { ServerWatch } from './server-watch.js';
import type { StallingSocket } from './stalling-socket.js';

const WARM_UP_MS = 3_000;
const QUIET_MS = 2_000;
/** On the loopback address the kernel takes some megabytes of a socket before that is full. */
export const FILL_WITHIN_MS = 15_000;
const ASK_EVERY_MS = 50;
/** From the block of the first: the server closes a socket after 30 s, and looks once a second. */
const GO_ON_AFTER_MS = 25_000;
export const STALL_MS = 33_000;

/** Latencies count in the windows `before` and `during`, not while sockets become full. */
export class StalledWindows {
  readonly latencies = new MeasuredWindows<'before' | 'during'>();
  readonly lateness = new MeasuredWindows<'before' | 'during'>();

  /** Answers when it began, `performance.now()`. */
  begin(kind: 'before' | 'during' | null): number {
    const now = performance.now();
    for (const windows of [this.latencies, this.lateness]) windows.begin(kind, now);
    return now;
  }
}

export interface Run {
  readonly options: StalledOptions;
  readonly load: BoardLoad;
  readonly goingOn: readonly StallingSocket[];
  readonly leaving: readonly StallingSocket[];
  readonly windows: StalledWindows;
  readonly watch: ServerWatch;
  readonly signal: AbortSignal;
  readonly closers: Close[];
}

/** All by `performance.now()`, in this order. */
export interface Moments {
  readonly beforeAtMs: number;
  readonly stopAtMs: number;
  readonly firstBlockedAtMs: number;
  /** All that stopped are blocked. */
  readonly duringAtMs: number;
  readonly endAtMs: number;
}

export async function runStall(run: Run): Promise<Moments & { readonly conflations: number }> {
  const { options, load, goingOn, leaving, windows, watch, signal } = run;
  const stalling = [...goingOn, ...leaving];
  const stopLoad = startLoad(run);
  await sleep(WARM_UP_MS, undefined, { signal });

  // Looked at when the window is over: their many rows would be most of the generator's work.
  for (const { connection } of stalling) connection.hold();
  const beforeAtMs = windows.begin('before');
  await sleep(options.seconds * 1_000, undefined, { signal });

  const stopAtMs = windows.begin(null);
  for (const socket of stalling) socket.stop();
  const firstBlockedAtMs = await fillAll(stalling, watch, signal);
  const conflatedBefore = watch.last.conflations;
  const allBlockedAt = Date.now();

  const duringAtMs = windows.begin('during');
  progress(`all that stopped are full after ${((duringAtMs - stopAtMs) / 1_000).toFixed(1)} s`);
  await sleep(firstBlockedAtMs + GO_ON_AFTER_MS - performance.now(), undefined, { signal });
  for (const socket of goingOn) socket.goOn(allBlockedAt);
  await sleep(duringAtMs + STALL_MS - performance.now(), undefined, { signal });

  const endAtMs = windows.begin(null);
  await watch.stop();
  await stopLoad();
  await load.settle();
  for (const { connection } of leaving) connection.goOnReading();
  for (const { connection } of goingOn) connection.letGo();
  await sleep(QUIET_MS, undefined, { signal });
  const conflations = watch.last.conflations - conflatedBefore;
  return { beforeAtMs, stopAtMs, firstBlockedAtMs, duringAtMs, endAtMs, conflations };
}

/** Answers what ends it. */
function startLoad({ options, load, windows, signal, closers }: Run): () => Promise<void> {
  const { rate } = options;
  const ending = new AbortController();
  const startAtMs = performance.now();
  const loading = runOpenLoop({
    ...{ rate, count: Number.POSITIVE_INFINITY, startAtMs, signal, end: ending.signal },
    release: (from, to) => {
      const now = performance.now();
      for (let event = from; event < to; event += 1) windows.lateness.record(dueAtMs(startAtMs, rate, event), now);
      load.release(to - from);
    },
  });
  loading.catch(() => undefined);
  closers.push(() => ending.abort());
  return () => {
    ending.abort();
    return loading;
  };
}

/** Answers when the first was full, `performance.now()`. Then they ask no more. */
async function fillAll(stalling: readonly StallingSocket[], watch: ServerWatch, signal: AbortSignal): Promise<number> {
  const untilMs = performance.now() + FILL_WITHIN_MS;
  let firstAtMs = Number.POSITIVE_INFINITY;
  while (watch.last.blockedSessions < stalling.length) {
    if (performance.now() > untilMs) throw new Error(`${watch.last.blockedSessions} stopped sockets are full at last`);
    for (const socket of stalling) socket.askAnew();
    await sleep(ASK_EVERY_MS, undefined, { signal });
    if (watch.last.blockedSessions > 0) firstAtMs = Math.min(firstAtMs, watch.last.atMs);
  }
  return firstAtMs;
}
