/** One asynchronous piece of work at a time, always with the newest wish. */

/** Pause before a failed run is tried again. */
const RETRY_AFTER_MS = 1_000;

/** Runs one at a time; calls during a run cause one more after it. A failed run is tried again until it is over. */
export function latestWins(run: () => Promise<void>, isOver: () => boolean): () => void {
  let isRunning = false;
  let isWanted = false;
  const loop = async (): Promise<void> => {
    isRunning = true;
    while (isWanted && !isOver()) {
      isWanted = false;
      await run().catch(() => {
        isWanted = true;
        return new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      });
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void loop();
  };
}
