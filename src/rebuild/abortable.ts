/** Waits that an abort ends at once; what was waited for may go on, unheard. */

import { addAbortListener } from 'node:events';

/** Rejects with the signal's reason where it aborts first. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let listener: Disposable | undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = addAbortListener(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    listener?.[Symbol.dispose]();
  }
}

/** As `pause`, but answers whether to go on: false where the signal aborted first. */
export async function goesOnAfter(ms: number, signal: AbortSignal): Promise<boolean> {
  return await pause(ms, signal).then(
    () => !signal.aborted,
    () => false,
  );
}

export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await orAborted(over, signal).finally(() => clearTimeout(timer));
}
