/** How long to wait before the next try. */

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** 100 ms, doubling up to 5 s, each cut by up to a half so that partitions and processes do not come back in step. */
export function backoffMs(failures: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
  return full * (0.5 + Math.random() / 2);
}
