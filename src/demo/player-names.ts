/** Names for the demo's players: readable, distinct, the same at each start, so that a restart goes on with them. */

// Short words: four columns of names fit beside the panel of the own place.
const FIRST =
  'amber brisk coral dusty eager fleet gusty hazel ivory jolly keen lucky mossy noble olive proud quick rusty sunny tidy urban vivid witty zesty';
const LAST =
  'bear boar crab crane finch fox hare hawk heron ibis kite lynx mole moth newt otter puma raven seal stag swan toad wolf wren yak';

/** At most 600; the order is mixed, so that neighbours in skill do not share a name. */
export function playerNames(count: number): string[] {
  const all = FIRST.split(' ').flatMap((first) => LAST.split(' ').map((last) => `${first}-${last}`));
  // 373 has no factor in common with 600: stepping by it visits every name once.
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[(i * 373) % all.length] ?? '');
}
