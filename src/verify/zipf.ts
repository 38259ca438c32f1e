/** Seeded random numbers and a Zipf choice of players: the same seed again is the same run. */

/** Mulberry32: 32 bits of state are enough to choose players, and the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Chooses 0 to `count` - 1 with a probability near 1 / (index + 1): few play much, many play little. */
export function zipfChoice(count: number, random: () => number): () => number {
  // The inverse of the continuous distribution; a table of a million sums would not choose any better.
  const scale = Math.log(count + 1);
  return () => Math.min(Math.floor(Math.exp(random() * scale)) - 1, count - 1);
}
