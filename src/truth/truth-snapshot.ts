/**
 * What a fill reads: positions, hidden players and the folded packed scores of all lists of a tag, all of one moment. They
 * come from the tag's checkpoint, which is advanced before, or from the rows themselves.
 */

import { randomInt } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import type { FillEntry } from '../domain/fill-entry.js';
import type { TagList, TagLists } from '../domain/lists.js';
import { countBehind, type Position } from '../domain/log-record.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { type AdvanceOptions, advanceCheckpoint } from './checkpoint-advance.js';
import { checkpointEntries } from './checkpoint-entries.js';
import { readCheckpoint } from './checkpoint-record.js';
import { foldedOnDetached, readDetachedFold, refuseBehind } from './detached-entries.js';
import { type FoldedRow, foldedScores } from './fold-scores.js';
import { readHidden } from './hidden-players.js';
import { patientQuery } from './patient-query.js';
import { readAllPositions } from './source-positions.js';
import type { Statement } from './statement.js';
import { refuseBeyond, toStoreError } from './store-errors.js';
import { TAG_LOCK_KEY } from './tag-lock-key.js';

/** The first chunk waits for the whole aggregate, and a season may hold hundreds of millions of rows. */
const FILL_TIMEOUT_MS = 3_600_000;
/** Groups of a million players stay in memory. */
const FILL_WORK_MEMORY = '128MB';

/** `rows`: all of the season are read, and no checkpoint is made or used. */
export type SnapshotOrigin = 'rows' | 'checkpoint';

/** The source of fills; `clock`: what time it is, for lists that are not kept any more. */
export class TruthSnapshots {
  constructor(
    private readonly pool: Pool,
    private readonly clock: () => number = Date.now,
    private readonly origin: SnapshotOrigin = 'rows',
  ) {}

  /** `null` while another process holds the tag's lock. Holds one connection, and the lock with it, until `release`. */
  async lock(tagName: string): Promise<SnapshotLock | null> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    try {
      const { rows } = await client.query<{ locked: boolean; pid: number }>(
        `SELECT pg_try_advisory_lock(${TAG_LOCK_KEY}) AS locked, pg_backend_pid() AS pid`,
        [tagName],
      );
      const { locked = false, pid = 0 } = rows[0] ?? {};
      const cancel = async () => void (await this.pool.query('SELECT pg_cancel_backend($1)', [pid]));
      if (locked) return new SnapshotLock({ client, cancel, tagName, clock: this.clock, origin: this.origin });
      client.release();
      return null;
    } catch (error) {
      client.release(true);
      throw toStoreError(error);
    }
  }
}

interface LockParts {
  readonly client: PoolClient;
  /** Ends the query that the connection is busy with. */
  readonly cancel: () => Promise<void>;
  readonly tagName: string;
  readonly clock: () => number;
  readonly origin: SnapshotOrigin;
}

/** What a snapshot is made of. */
interface SnapshotContent {
  readonly positions: readonly Position[];
  readonly floor: readonly Position[];
  readonly fold: Statement;
}

class SnapshotLock {
  private snapshotOpen: Snapshot | null = null;
  private advancing: Promise<unknown> | null = null;
  private beginning: Promise<unknown> | null = null;
  private isHeld = true;

  constructor(private readonly parts: LockParts) {}

  /** Fails where the connection, and so the lock, is lost; not while a snapshot is open, in which truth stands still. */
  async positions(): Promise<readonly Position[]> {
    this.refuseWhileOpen();
    return await readAllPositions(this.parts.client).catch((error: unknown) => {
      throw toStoreError(error);
    });
  }

  /** Brings the tag's checkpoint up to `to`, default truth's positions: see `advanceCheckpoint`. */
  async advance(scope: BoardSeason, options: Omit<AdvanceOptions, 'now'> = {}): Promise<readonly Position[]> {
    this.refuseWhileOpen();
    const onStep = (behind: number): void => {
      // Cancelling finds nothing to end between two queries.
      if (!this.isHeld) throw new StoreUnavailableError(`the advance of ${scope.name} was given up`);
      options.onStep?.(behind);
    };
    const now = this.parts.clock();
    const advancing = advanceCheckpoint(this.parts.client, scope, { ...options, now, onStep }).finally(() => {
      this.advancing = null;
    });
    this.advancing = advancing;
    return await advancing;
  }

  /** Throws a retryable error where truth has not reached `below`, and where the checkpoint is ahead of it. */
  async snapshot(
    scope: BoardSeason,
    below?: readonly Position[],
    steps: Pick<AdvanceOptions, 'onStep' | 'rest'> = {},
  ): Promise<Snapshot> {
    if (this.parts.origin === 'checkpoint') await this.advance(scope, { to: below, ...steps });
    this.refuseWhileOpen();
    const beginning = this.begin(scope, below).finally(() => {
      this.beginning = null;
    });
    this.beginning = beginning;
    return await beginning;
  }

  private async begin(scope: BoardSeason, below: readonly Position[] | undefined): Promise<Snapshot> {
    const { client, cancel, origin } = this.parts;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`SET LOCAL statement_timeout = ${FILL_TIMEOUT_MS}`);
      await client.query(`SET LOCAL work_mem = '${FILL_WORK_MEMORY}'`);
      // All of it is read: a plan that is quick with the first rows would be slow with all.
      await client.query('SET LOCAL cursor_tuple_fraction = 1');
      const hidden = await readHidden(client, scope);
      const { positions, floor, fold } = await (origin === 'rows'
        ? this.ofRows(scope, below)
        : this.ofCheckpoint(scope, below));
      if (!this.isHeld) throw new StoreUnavailableError(`the snapshot of ${scope.name} was given up`);
      const source = { client, cancel, lists: scope.lists, fold };
      this.snapshotOpen = new Snapshot(source, positions, floor, hidden, () => {
        this.snapshotOpen = null;
      });
      return this.snapshotOpen;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw toStoreError(error);
    }
  }

  async release(): Promise<void> {
    if (!this.isHeld) return;
    this.isHeld = false;
    const { client, cancel, tagName } = this.parts;
    const { advancing } = this;
    if (advancing !== null) {
      await cancel().catch(() => undefined);
      // It may have ended before the answer about the cancelling came, and left `this.advancing` empty.
      await advancing.catch(() => undefined);
    }
    // A few short queries, which leave a transaction behind that must not go back to the pool.
    await this.beginning?.catch(() => undefined);
    await this.snapshotOpen?.close();
    const isClean = await client.query(`SELECT pg_advisory_unlock(${TAG_LOCK_KEY})`, [tagName]).then(
      () => true,
      () => false,
    );
    // A connection that is destroyed gives the lock back as well.
    client.release(!isClean);
  }

  private async ofRows(scope: BoardSeason, below: readonly Position[] | undefined): Promise<SnapshotContent> {
    const { client, clock } = this.parts;
    const detached = await readDetachedFold(client, scope, `reading ${scope.name} from its rows`);
    const positions = await readAllPositions(client);
    if (below !== undefined) refuseBeyond(positions, below);
    refuseBehind(scope, detached, below ?? positions);
    const options = { now: clock(), below, without: detached.days };
    const fold = detached.days.length === 0 ? foldedScores(scope, options) : foldedOnDetached(scope, options);
    return { positions, floor: [], fold };
  }

  private async ofCheckpoint(scope: BoardSeason, below: readonly Position[] | undefined): Promise<SnapshotContent> {
    const { client } = this.parts;
    const checkpoint = await readCheckpoint(client, scope);
    if (checkpoint === null) throw new Error(`the checkpoint of ${scope.name} was replaced under its lock`);
    const { positions } = checkpoint;
    const ahead = below === undefined ? 0 : countBehind(below, positions);
    if (ahead > 0) {
      throw new StoreUnavailableError(
        `the checkpoint of ${scope.name} is ${ahead} records ahead of the board, which must catch up with it first`,
      );
    }
    return { positions, floor: positions, fold: checkpointEntries(scope.name) };
  }

  private refuseWhileOpen(): void {
    const { tagName } = this.parts;
    if (!this.isHeld) throw new Error(`the lock of ${tagName} was released: take it again`);
    if (this.snapshotOpen !== null || this.beginning !== null)
      throw new Error(`a snapshot of ${tagName} is open: close it first`);
  }
}

interface SnapshotSource {
  readonly client: PoolClient;
  readonly cancel: () => Promise<void>;
  readonly lists: TagLists;
  readonly fold: Statement;
}

class Snapshot {
  private isOpen = true;
  private isReading = false;

  constructor(
    private readonly source: SnapshotSource,
    readonly positions: readonly Position[],
    readonly floor: readonly Position[],
    readonly hidden: readonly string[],
    private readonly onClose: () => void,
  ) {}

  async *chunks(chunkSize: number): AsyncIterable<readonly FillEntry[]> {
    const cursor = `fill_${randomInt(2 ** 47)}`;
    const { text, values } = this.source.fold;
    const listOf = this.listsByName();
    await this.read({ text: `DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values: [...values] });
    for (;;) {
      const rows = await this.read(patientQuery(FILL_TIMEOUT_MS, `FETCH ${chunkSize} FROM ${cursor}`));
      if (rows.length === 0) return;
      yield rows.map(({ list, subject, score }) => ({
        list: listOf(list),
        playerId: subject,
        score: parseSafeInteger(score, 'packed score'),
      }));
    }
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { client, cancel } = this.source;
    // The fold of a long season takes minutes, and whoever gave the fill up need not wait for it.
    if (this.isReading) await cancel().catch(() => undefined);
    await client.query('ROLLBACK').catch(() => undefined);
    this.onClose();
  }

  private async read(query: QueryConfig): Promise<FoldedRow[]> {
    this.isReading = true;
    try {
      return (await this.source.client.query<FoldedRow>(query)).rows;
    } catch (error) {
      throw toStoreError(error);
    } finally {
      this.isReading = false;
    }
  }

  /** Entries of one list share it. */
  private listsByName(): (name: string) => TagList {
    const known = new Map<string, TagList>();
    return (name) => {
      const list = known.get(name) ?? this.source.lists.named(name);
      known.set(name, list);
      return list;
    };
  }
}
