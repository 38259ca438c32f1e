/** Names for the demo's players: readable, distinct, the same at each start, so that a restart goes on with them. */

const FIRST = ['amber', 'brisk', 'coral', 'dusty', 'eager', 'fleet', 'gusty', 'hazel', 'ivory', 'jolly'];
const MIDDLE = ['arc', 'bay', 'cliff', 'dune', 'ember', 'frost', 'grove', 'heath'];
const LAST = ['badger', 'crane', 'falcon', 'heron', 'lynx', 'marten', 'otter', 'puma', 'raven', 'wolf'];

/** At most 800; the order is mixed, so that neighbours in skill do not share a name. */
export function playerNames(count: number): string[] {
  const all = FIRST.flatMap((first) => MIDDLE.flatMap((middle) => LAST.map((last) => `${first}-${middle}-${last}`)));
  // 373 has no factor in common with 800: stepping by it visits every name once.
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[(i * 373) % all.length] ?? '');
}
