/** A log of three partitions that truth is fed with, for tests of checkpoints: results, and orders that change them later. */

import type { Board } from '../../src/domain/board.js';
import type { BoardSeason } from '../../src/domain/board-season.js';
import type { FillEntry } from '../../src/domain/fill-entry.js';
import type { Position } from '../../src/domain/log-record.js';
import type { Rule } from '../../src/domain/rules.js';
import type { TruthBatch, TruthReply } from '../../src/domain/truth-batch.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import type { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { NO_SEASONS, type TruthDatabase } from './truth-database.js';

export const SOURCE = 'kafka:match-results';
export const DAY_MS = 86_400_000;
export const START = Date.parse('2026-04-01T00:00:00Z');
export const PARTITIONS = 3;

export type Record =
  | {
      readonly kind: 'result';
      readonly match: number;
      readonly player: number;
      readonly points: number;
      readonly at: number;
      readonly guild?: string;
    }
  | { readonly kind: 'void'; readonly match: number; readonly player: number }
  | { readonly kind: 'correct'; readonly match: number; readonly player: number; readonly points: number }
  | { readonly kind: 'hide'; readonly player: number; readonly isHidden: boolean };

export class CheckpointLog {
  private readonly next = Array.from({ length: PARTITIONS }, () => 0);
  private readonly store: MatchResultsPostgres;

  constructor(
    database: TruthDatabase,
    private readonly mode: string,
  ) {
    this.store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 30 * DAY_MS, calendar: NO_SEASONS });
  }

  /** Each record behind those before it in the partition of its player; one transaction. */
  async append(records: readonly Record[]): Promise<readonly TruthReply[]> {
    const batches = [0, 1, 2].flatMap((partition) => {
      const own = records.filter(({ player }) => player % PARTITIONS === partition);
      return own.length === 0 ? [] : [this.batchOf(partition, own)];
    });
    return await this.store.write(batches);
  }

  private batchOf(partition: number, records: readonly Record[]): TruthBatch {
    const from = this.next[partition] ?? 0;
    this.next[partition] = from + records.length;
    const placed = records.map((record, index) => {
      const { player } = record;
      return { ...record, playerId: `pl-${player}`, offset: from + index, brokerAt: START };
    });
    return {
      ...{ source: SOURCE, partition, from, to: from + records.length },
      rows: placed.flatMap((one) => {
        if (one.kind !== 'result') return [];
        const { offset, brokerAt, playerId, points, at, guild } = one;
        const scopes = guild === undefined ? {} : { guild };
        const identity = { matchId: this.matchOf(one.match), playerId };
        const result = {
          ...identity,
          mode: this.mode,
          fields: { points },
          achievedAt: START + at,
          scopes,
          seasonId: 'x',
        };
        return [{ result, offset, brokerAt }];
      }),
      voids: placed.flatMap((one) => (one.kind === 'void' ? [{ ...one, matchId: this.matchOf(one.match) }] : [])),
      corrections: placed.flatMap((one) =>
        one.kind === 'correct'
          ? [{ ...one, matchId: this.matchOf(one.match), mode: this.mode, fields: { points: one.points } }]
          : [],
      ),
      hides: placed.flatMap((one) => (one.kind === 'hide' ? [one] : [])),
    };
  }

  matchOf(match: number): string {
    return `${this.mode}/${match}`;
  }
}

/** Days stay, empty. */
export async function emptyTruth(database: TruthDatabase): Promise<void> {
  await database.ask(
    `WITH a AS (DELETE FROM match_results), b AS (DELETE FROM source_position), c AS (DELETE FROM voided_result),
          d AS (DELETE FROM corrected_result), e AS (DELETE FROM hidden_player), f AS (DELETE FROM dirty_subject),
          g AS (DELETE FROM board_checkpoint), h AS (DELETE FROM board_checkpoint_entry)
     DELETE FROM detached_day`,
  );
}

export interface Read {
  readonly positions: readonly Position[];
  readonly hidden: readonly string[];
  /** Packed scores by list and subject. */
  readonly scores: ReadonlyMap<string, number>;
}

/** What a fill would read. */
export async function readSnapshot(
  snapshots: TruthSnapshots,
  scope: BoardSeason,
  below?: readonly Position[],
): Promise<Read> {
  const lock = await snapshots.lock(scope.name);
  if (lock === null) throw new Error('the lock is taken');
  try {
    const { positions, hidden, ...snapshot } = await lock.snapshot(scope, below).then((one) => ({
      positions: one.positions,
      hidden: one.hidden,
      chunks: one.chunks(100),
    }));
    const entries: FillEntry[] = [];
    for await (const chunk of snapshot.chunks) entries.push(...chunk);
    const scores = new Map(entries.map(({ list, playerId, score }) => [`${list.name}\n${playerId}`, score]));
    if (scores.size !== entries.length) throw new Error('an entry came twice');
    return { positions, hidden, scores };
  } finally {
    await lock.release();
  }
}

export interface CheckpointRun {
  readonly scope: BoardSeason;
  readonly log: CheckpointLog;
}

let runs = 0;

/** An empty truth, and a board, ranked by day, week and guild, that no other run has. */
export async function newCheckpointRun(
  database: TruthDatabase,
  rule: Rule,
  board: Partial<Board> = {},
): Promise<CheckpointRun> {
  await emptyTruth(database);
  runs += 1;
  const mode = `mode-${runs}`;
  const season = { seasonId: 'x', startsAt: START, endsAt: START + 20 * DAY_MS };
  const modes = [{ mode, fields: { points: { min: 0, max: 100 } } }];
  const shape = { rule, periods: ['day', 'week'], scopes: ['guild'], maxTotal: rule === 'sum' ? 150 : null } as const;
  const scope = boardSeasonOf({ boardId: `board-${runs}`, modes: [mode], ...shape, ...board }, season, modes);
  return { scope, log: new CheckpointLog(database, mode) };
}
