/** Waiting in the views: for a while, and for at most so long as somebody may be kept waiting. */

/** Whoever waits longer for the fold or a reload is told that the ranking does not answer. */
export const PATIENCE_MS = 5_000;

/** The promise's outcome, or what `error` makes after so long. */
export async function withPatience(promise: Promise<void>, patienceMs: number, error: () => Error): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(error()), patienceMs);
  });
  try {
    await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
