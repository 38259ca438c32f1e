/** Stories of players, each told in every order of arrival, and what truth keeps of them. */

/** Of one player: two matches, the better and later one sent twice, once with other content, voided and corrected. */
export type Kind = 'first' | 'second' | 'copy' | 'conflict' | 'void' | 'correct' | 'again' | 'hide' | 'unhide';

/** Each alone as well: what heals one of them must not hide that another is not healed. */
const STORIES: readonly (readonly Kind[])[] = [
  ['first', 'second', 'copy', 'void'],
  ['first', 'second', 'conflict'],
  ['second', 'copy', 'conflict', 'void'],
  ['first', 'second', 'copy', 'correct'],
  ['second', 'correct', 'again'],
  ['second', 'conflict', 'correct'],
  ['second', 'correct', 'void'],
  ['second', 'hide'],
  ['second', 'copy', 'hide', 'unhide'],
  ['second', 'void', 'hide', 'unhide'],
  ['second', 'conflict', 'hide', 'unhide'],
  ['second', 'correct', 'hide', 'unhide'],
];

export interface Story {
  readonly playerId: string;
  readonly records: readonly Kind[];
}

/** A result that counts. */
export interface Kept {
  readonly points: number;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

export const STORIES_IN_EVERY_ORDER: readonly Story[] = STORIES.flatMap((kinds, story) =>
  ordersOf(kinds).map((records, order) => ({ playerId: `${story}-${order}`, records })),
);

/** `at`: the broker's time. */
export function recordOf(kind: Kind, { playerId }: Story, at: number): Buffer {
  const second = { playerId, matchId: 'second' };
  switch (kind) {
    case 'first':
    case 'second':
    case 'copy':
    case 'conflict':
      return json({
        playerId,
        matchId: kind === 'first' ? 'first' : 'second',
        mode: 'arena',
        ...sentAs(kind, playerId, at),
      });
    case 'void':
      return json({ kind, ...second });
    case 'correct':
      return json({ kind, ...second, points: 30 });
    case 'again':
      return json({ kind: 'correct', ...second, points: 70 });
    case 'hide':
    case 'unhide':
      return json({ kind, playerId });
  }
}

/** The first content of a match counts, with the points of the last correction, unless it is voided. */
export function keptOf({ playerId, records }: Story, at: number): readonly Kept[] {
  const first = records.includes('first') ? [sentAs('first', playerId, at)] : [];
  const second = records.find((kind) => kind === 'second' || kind === 'copy' || kind === 'conflict');
  if (second === undefined || records.includes('void')) return first;
  const corrected = records.findLast((kind) => kind === 'correct' || kind === 'again');
  const sent = sentAs(second, playerId, at);
  if (corrected === undefined) return [...first, sent];
  return [...first, { ...sent, points: corrected === 'correct' ? 30 : 70 }];
}

export function isHidden({ records }: Story): boolean {
  return records.findLast((kind) => kind === 'hide' || kind === 'unhide') === 'hide';
}

/** Every list where a result of the player was ever sent to. */
export function everSent({ playerId, records }: Story, at: number): readonly Kept[] {
  return records.flatMap((kind) =>
    ['first', 'second', 'conflict'].includes(kind) ? [sentAs(kind, playerId, at)] : [],
  );
}

/** Two players share a guild; the conflicting copy names another one. */
function sentAs(kind: Kind, playerId: string, at: number): Kept {
  const [story, order] = playerId.split('-');
  const guild = `${story}:${Math.floor(Number(order) / 2)}`;
  if (kind === 'first') return { points: 10, achievedAt: at - 2_000, scopes: { guild } };
  if (kind === 'conflict') return { points: 90, achievedAt: at - 1_000, scopes: { guild: `${guild}:other` } };
  return { points: 50, achievedAt: at - 1_000, scopes: { guild } };
}

/** Which of two equal records comes first makes no order of its own. */
function ordersOf(kinds: readonly Kind[]): Kind[][] {
  return permutations(kinds).filter(
    (order) => !order.includes('copy') || order.indexOf('second') < order.indexOf('copy'),
  );
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

function json(record: object): Buffer {
  return Buffer.from(JSON.stringify(record));
}
