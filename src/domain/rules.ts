/** Rules: commutative, associative merges of results into an entry. The Lua twin is ranking/lua/submit-results-2.lua. */

/** `best`: the higher packed score, so equal points go to the earlier time. Merging the same result twice changes nothing. */
export function mergeBest(current: number | null, incoming: number): number {
  return current === null || incoming > current ? incoming : current;
}
