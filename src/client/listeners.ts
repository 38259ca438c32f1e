/** A set of listeners that cannot hurt each other or the caller. */

export class Listeners<Args extends readonly unknown[]> {
  private readonly entries = new Set<{ readonly listener: (...args: Args) => void }>();
  private readonly onThrow: (error: unknown) => void;

  /** `onThrow` gets what a listener threw; the other listeners are still called. */
  constructor(onThrow: (error: unknown) => void) {
    this.onThrow = onThrow;
  }

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  /** Each call is its own registration, so that one user's `off` never removes another's. */
  add(listener: (...args: Args) => void): () => void {
    const entry = { listener };
    this.entries.add(entry);
    return () => void this.entries.delete(entry);
  }

  call(...args: Args): void {
    // A copy: a listener that adds listeners must not be able to keep this loop going.
    for (const entry of [...this.entries]) {
      try {
        entry.listener(...args);
      } catch (error) {
        this.onThrow(error);
      }
    }
  }

  clear(): void {
    this.entries.clear();
  }
}
