/** Who is whose friend: random pairs, as many as give everybody the wanted number on average. */

/** Two players by their index, the smaller first. */
export type FriendPair = readonly [number, number];

/** Distinct pairs of distinct players; a friendship counts for both, so half of `players * friends` pairs are needed. */
export function chooseFriendPairs(players: number, friends: number, random: () => number): FriendPair[] {
  const all = (players * (players - 1)) / 2;
  const wanted = Math.min(all, Math.round((players * friends) / 2));
  if (wanted > all / 2) return shuffled(allPairs(players), random).slice(0, wanted);
  const pairs = new Map<number, FriendPair>();
  while (pairs.size < wanted) {
    const one = Math.floor(random() * players);
    const other = Math.floor(random() * players);
    if (one === other) continue;
    const pair: FriendPair = one < other ? [one, other] : [other, one];
    pairs.set(pair[0] * players + pair[1], pair);
  }
  return [...pairs.values()];
}

/** The friends of each player, by index. */
export function friendsOfEach(players: number, pairs: readonly FriendPair[]): number[][] {
  const friends: number[][] = Array.from({ length: players }, () => []);
  for (const [one, other] of pairs) {
    friends[one]?.push(other);
    friends[other]?.push(one);
  }
  return friends;
}

function allPairs(players: number): FriendPair[] {
  const pairs: FriendPair[] = [];
  for (let one = 0; one < players; one++) {
    for (let other = one + 1; other < players; other++) pairs.push([one, other]);
  }
  return pairs;
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [mixed[last], mixed[other]];
    if (a === undefined || b === undefined) continue;
    mixed[last] = b;
    mixed[other] = a;
  }
  return mixed;
}
