/** Waiting with a limit, and waiting on purpose. */

/** Whether `work` settled in time; it goes on either way. */
export async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const settled = work.then(
    () => true,
    () => true,
  );
  const isSettled = await Promise.race([settled, limit]);
  clearTimeout(timer);
  return isSettled;
}

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

/** 100 ms, doubling up to 5 s, each cut by up to a half so that partitions and processes do not come back in step. */
export function backoffMs(failures: number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 10));
  return full * (0.5 + Math.random() / 2);
}
