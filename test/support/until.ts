/** Waiting for a condition with a deadline, never for a guessed time. */

const LOOK_EVERY_MS = 25;

/** Repeats `check` until it throws no more; then answers what it answered. Past the deadline its last error is thrown. */
export async function until<T>(check: () => T | Promise<T>, withinMs = 10_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
