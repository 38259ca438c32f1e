/** A log of made-up results, the same for truth and for a ranking, and what they come to by brute force. */

import type { BoardSeason } from '../../src/domain/board-season.js';
import { listRef } from '../../src/domain/board-season.js';
import type { Result } from '../../src/domain/result.js';
import { mergeScores } from '../../src/domain/rules.js';
import type { SubmitBatch } from '../../src/domain/submit.js';
import type { Ranking } from '../../src/ranking/ranking.js';
import { scoreIn } from '../../src/results/open-tags.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { NO_SEASONS, type TruthDatabase } from '../truth/truth-database.js';

export const SOURCE = 'kafka:t';

/** Packed scores by list and player. */
export type Boards = Readonly<Record<string, Readonly<Record<string, number>>>>;

export class History {
  /** Of the next live result. */
  private nextLive = 0;

  constructor(
    private readonly startsAt: number,
    private readonly playerCount: number,
  ) {}

  /** Result `n` of the log's one partition; times go back and forth, and many repeat. */
  result(n: number): Result {
    return {
      matchId: `m-${n}`,
      playerId: `pl-${(n * 7) % this.playerCount}`,
      mode: 'arena',
      fields: { points: (n * 7_919) % 3_000 },
      achievedAt: this.startsAt + ((n * 31) % 997) * 1_000,
      scopes: { guild: String(n % 2) },
      seasonId: '1',
    };
  }

  /** Brings `[from, to)` to truth. */
  async store({ pool }: TruthDatabase, from: number, to: number): Promise<void> {
    const results = new MatchResultsPostgres({ pool, maxLatenessMs: 86_400_000, calendar: NO_SEASONS });
    const rows = count(from, to).map((offset) => {
      const result = this.result(offset);
      return { result, offset, brokerAt: result.achievedAt };
    });
    await results.write([{ source: SOURCE, partition: 0, from, to, rows }], async () => {});
  }

  /** A consumer's batch of `[from, to)`. */
  batch(scope: BoardSeason, from: number, to: number): SubmitBatch {
    const results = count(from, to).map((offset) => {
      const result = this.result(offset);
      const { playerId, achievedAt } = result;
      const identity = { hash: String(offset), achievedAt };
      return {
        ...{ playerId, offset, at: achievedAt, identity },
        score: scoreIn(scope, result),
        lists: scope.lists.listsOf(result),
      };
    });
    return { source: SOURCE, partition: 0, from, to, results };
  }

  /** Every list after the first `total` results. */
  boards(scope: BoardSeason, total: number): Boards {
    const boards: Record<string, Record<string, number>> = {};
    for (const n of count(0, total)) {
      const result = this.result(n);
      const score = scoreIn(scope, result);
      for (const { name } of scope.lists.listsOf(result)) {
        const board = boards[name] ?? {};
        board[result.playerId] = mergeScores(scope.definition.merge, board[result.playerId] ?? null, score);
        boards[name] = board;
      }
    }
    return boards;
  }

  /** How many results live ones have come to. */
  get live(): number {
    return this.nextLive;
  }

  /** The log is read from here on. */
  goLive(from: number): void {
    this.nextLive = from;
  }

  /** Submits the next `n` results as a consumer does. */
  async play(ranking: Ranking, scope: BoardSeason, n: number): Promise<string> {
    const batch = this.batch(scope, this.nextLive, this.nextLive + n);
    this.nextLive += n;
    return (await ranking.submit(scope.tag, scope.definition.hash, batch)).kind;
  }
}

/** The lists of `names` as their readers see them; `null` where there is no board of the definition. */
export async function readBoards(
  ranking: Ranking,
  scope: BoardSeason,
  names: Iterable<string>,
): Promise<Boards | null> {
  const boards: Record<string, Record<string, number>> = {};
  for (const name of names) {
    const reading = await ranking.readRange(listRef(scope, name), 1, 10_000);
    if (reading === null) return null;
    boards[name] = Object.fromEntries(reading.rows.map(({ playerId, score }) => [playerId, score]));
  }
  return boards;
}

function count(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
