/**
 * The second looks of a reconcile: of each suspicious row, what truth has below the very positions at which the ranking was
 * read. Whatever comes meanwhile lies between two positions, and either of their folds is right.
 *
 * Orders of a void or a hide are no matter of positions in truth, where they count at once. So a look begins when the ranking
 * has reached truth, and who differs then may be marked and not settled yet, or met by the next order: it takes two looks.
 */

import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import { countBehind, type Position } from '../domain/log-record.js';
import { standingOf } from '../domain/tag-standing.js';
import { pause } from './abortable.js';
import { readScores, replaced } from './reconcile-compare.js';
import { CHUNK_ROWS, type ListRow, type ReconciledRanking, type ReconciledTruth } from './reconcile-stores.js';

export interface LooksOptions {
  readonly ranking: ReconciledRanking;
  readonly truth: ReconciledTruth;
  readonly signal?: AbortSignal | undefined;
}

const LOOKS = 2;
/** Marks are settled meanwhile. */
const BETWEEN_LOOKS_MS = 1_000;
const ASK_EVERY_MS = 50;
/** Both groups are some tenths of a second behind the log, unless one is down or catching up. */
const PATIENCE_MS = 10_000;
const CONCURRENT_FOLDS = 2;

/** Rows that still differ. Throws `StoreUnavailableError` where truth or the ranking is too far behind the other to tell. */
export async function stillDiffering(
  scope: BoardSeason,
  suspicious: readonly ListRow[],
  options: LooksOptions,
): Promise<readonly ListRow[]> {
  let rows = suspicious;
  for (let look = 0; look < LOOKS && rows.length > 0; look++) {
    if (look > 0) await pause(BETWEEN_LOOKS_MS, options.signal);
    await waitForRanking(scope, options);
    const left: ListRow[] = [];
    for (let from = 0; from < rows.length; from += CHUNK_ROWS) {
      left.push(...(await differingNow(scope, rows.slice(from, from + CHUNK_ROWS), options)));
    }
    rows = left;
  }
  return rows;
}

/** Until the ranking has come where truth is now; throws `StoreUnavailableError` where it does not. */
export async function waitForRanking(scope: BoardSeason, { ranking, truth, signal }: LooksOptions): Promise<void> {
  const goal = await truth.positions();
  const isThere = async () => countBehind(await positionsOf(ranking, scope), goal) === 0;
  // A board whose season is over is told of no more records, and has all that concern it.
  if ((await within(isThere, signal)) || scope.season.endsAt <= Date.now()) return;
  throw new StoreUnavailableError(
    `board ${scope.name} is behind the database and cannot be compared with it: a process with the role ranking must be ` +
      'running, and have read the log to its end',
  );
}

async function differingNow(scope: BoardSeason, rows: readonly ListRow[], options: LooksOptions): Promise<ListRow[]> {
  const { ranking, truth, signal } = options;
  const before = await positionsOf(ranking, scope);
  const scores = await readScores(ranking, scope, rows);
  const after = await positionsOf(ranking, scope);
  const isTruthThere = async () => countBehind(await truth.positions(), after) === 0;
  if (!(await within(isTruthThere, signal))) {
    throw new StoreUnavailableError(
      `the database is behind board ${scope.name}, which cannot be compared with it: a process with the role truth must ` +
        'be running, and have read the log to its end',
    );
  }
  const isHidden = new Set(await truth.hidden(scope));
  const left = [...byPlayer(rows, scores)];
  const differing: ListRow[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      signal?.throwIfAborted();
      const [playerId, held] = next;
      const differsAt = async (positions: readonly Position[], those: readonly HeldRow[]) => {
        const folded = isHidden.has(playerId) ? [] : await truth.fold(scope, playerId, positions);
        const scoreIn = new Map(folded.map(({ list, score }) => [list.name, score]));
        return those.filter(({ list, score }) => score !== (scoreIn.get(list) ?? null));
      };
      let those = await differsAt(after, held);
      // Whether what lies between was read with the row or not, nobody can tell.
      if (those.length > 0 && countBehind(before, after) > 0) those = await differsAt(before, those);
      differing.push(...those.map(({ list }) => ({ list, playerId })));
    }
  };
  // All of them to their end: a fold that goes on alone would outlive the pool.
  const works = await Promise.allSettled(Array.from({ length: CONCURRENT_FOLDS }, work));
  const failure = works.find((one) => one.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return differing;
}

/** What the ranking has of a player in one list. */
interface HeldRow {
  readonly list: string;
  readonly score: number | null;
}

function byPlayer(rows: readonly ListRow[], scores: readonly (number | null)[]): Map<string, HeldRow[]> {
  const held = new Map<string, HeldRow[]>();
  for (const [index, { list, playerId }] of rows.entries()) {
    const ofPlayer = held.get(playerId) ?? [];
    if (ofPlayer.push({ list, score: scores[index] ?? null }) === 1) held.set(playerId, ofPlayer);
  }
  return held;
}

async function positionsOf(ranking: ReconciledRanking, { tag, name, definition }: BoardSeason) {
  const state = await ranking.state(tag);
  if (state === null || standingOf(definition.hash, state) !== 'current') throw replaced(name);
  return state.positions;
}

async function within(isSo: () => Promise<boolean>, signal: AbortSignal | undefined): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() >= until) return false;
    await pause(ASK_EVERY_MS, signal);
  }
}
