/** Compares what a ranking shows of a tag with truth, row by row, and marks whoever differs: settling marks repairs them exactly. */

import type { BoardSeason } from '../domain/board-season.js';
import { MAX_MARKS } from '../domain/marks.js';
import { standingOf } from '../domain/tag-standing.js';
import { orAborted } from './abortable.js';
import { untilAborted } from './reconcile-abort.js';
import { replaced, TagComparison } from './reconcile-compare.js';
import { stillDiffering, waitForRanking } from './reconcile-looks.js';
import type { ListRow, ReconciledRanking, ReconciledTruth } from './reconcile-stores.js';
import type { TagLock } from './truth-source.js';

export interface ReconcileTagOptions {
  readonly ranking: ReconciledRanking;
  readonly truth: ReconciledTruth;
  /** Called as rows are compared, and must not throw. */
  readonly report?: (compared: number) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Reconciled {
  /** Rows of truth. */
  readonly compared: number;
  /** Rows that are other than truth's, missing or too much, each looked at again before it counts. */
  readonly differing: number;
  /** Whose rows they are. */
  readonly marked: number;
}

/** Rows that wait for their second look; a board that differs in more of them is looked at in parts. */
const MAX_SUSPICIOUS = 250_000;

/**
 * Goes on beside live traffic. `lock`: of the tag, so that nobody fills it meanwhile. `null`: the tag has no finished board of
 * the definition. Throws `StoreUnavailableError` where one of the two is too far behind the other to be compared with it, and
 * rejects with the signal's reason after an abort; what was marked until then stays marked.
 */
export async function reconcileTag(
  lock: TagLock,
  scope: BoardSeason,
  given: ReconcileTagOptions,
): Promise<Reconciled | null> {
  const options = { ...given, ranking: untilAborted(given.ranking, given.signal) };
  const { ranking, signal, report = () => undefined } = options;
  const state = await ranking.state(scope.tag);
  if (standingOf(scope.definition.hash, state) !== 'current') return null;
  await waitForRanking(scope, options);

  const comparison = new TagComparison(scope, { ranking, signal });
  let differing = 0;
  let marked = 0;
  let suspicious: ListRow[] = [];
  const judge = async (): Promise<void> => {
    const rows = await stillDiffering(scope, suspicious, options);
    suspicious = [];
    differing += rows.length;
    marked += await markPlayers(scope, rows, ranking);
  };
  const gather = async (pages: AsyncIterable<readonly ListRow[]>): Promise<void> => {
    for await (const rows of pages) {
      signal?.throwIfAborted();
      report(comparison.compared);
      suspicious.push(...rows);
      if (suspicious.length >= MAX_SUSPICIOUS) await judge();
    }
  };

  // The checkpoint is advanced first, and an abort need not wait for it: releasing the lock ends that.
  const source = await orAborted(lock.snapshot(scope), signal);
  try {
    await gather(comparison.differing(source));
  } finally {
    // Before the second looks: the database keeps everything that its oldest snapshot may see.
    await source.close();
  }
  await gather(comparison.unknown());
  await judge();
  return { compared: comparison.compared, differing, marked };
}

/** Answers how many there are. */
async function markPlayers(
  { tag, name, definition, lists }: BoardSeason,
  rows: readonly ListRow[],
  ranking: ReconciledRanking,
): Promise<number> {
  const listsOf = new Map<string, Set<string>>();
  for (const { list, playerId } of rows) listsOf.set(playerId, (listsOf.get(playerId) ?? new Set()).add(list));
  const players = [...listsOf].map(([playerId, names]) => ({
    playerId,
    lists: [...names].map((list) => lists.named(list)),
  }));
  for (let from = 0; from < players.length; from += MAX_MARKS) {
    const answer = await ranking.mark(tag, definition.hash, players.slice(from, from + MAX_MARKS));
    if (answer !== 'marked') throw replaced(name);
  }
  return players.length;
}
