/**
 * For random tests that ask how often each rare case came: by chance it may come too seldom in one round, which says nothing
 * against the product. The demand stays what it is; only a case that never comes, or hardly ever, fails it.
 */

const MAX_ROUNDS = 6;

/** Repeats `round` until `isCovered`, or until it has been tried so often that chance is no explanation any more. */
export async function untilCovered(round: () => Promise<void>, isCovered: () => boolean): Promise<void> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    await round();
    if (isCovered()) return;
  }
}
