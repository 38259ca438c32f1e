/** What a fill reads: positions, hidden players and the folded packed scores of all lists of a tag, all of one moment. */

import { randomInt } from 'node:crypto';
import type { Pool, PoolClient, QueryConfig } from 'pg';
import type { BoardSeason } from '../domain/board-season.js';
import { StoreUnavailableError } from '../domain/errors.js';
import type { FillEntry } from '../domain/fill-entry.js';
import type { TagList, TagLists } from '../domain/lists.js';
import { countBehind, type Position } from '../domain/log-record.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import { type FoldedRow, foldedScores } from './fold-scores.js';
import { readHidden } from './hidden-players.js';
import { patientQuery } from './patient-query.js';
import { readAllPositions } from './source-positions.js';
import type { Statement } from './statement.js';
import { toStoreError } from './store-errors.js';

/** The first chunk waits for the whole aggregate, and a season may hold hundreds of millions of rows. */
const FILL_TIMEOUT_MS = 3_600_000;
/** Groups of a million players stay in memory. */
const FILL_WORK_MEMORY = '128MB';

/** The source of fills; `clock`: what time it is, for lists that are not kept any more. */
export class TruthSnapshots {
  constructor(
    private readonly pool: Pool,
    private readonly clock: () => number = Date.now,
  ) {}

  /** `null` while another process holds the tag's lock. Holds one connection, and the lock with it, until `release`. */
  async lock(tagName: string): Promise<SnapshotLock | null> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    try {
      const { rows } = await client.query<{ locked: boolean; pid: number }>(
        `SELECT pg_try_advisory_lock(${LOCK_KEY}) AS locked, pg_backend_pid() AS pid`,
        [tagName],
      );
      const { locked = false, pid = 0 } = rows[0] ?? {};
      const cancel = async () => void (await this.pool.query('SELECT pg_cancel_backend($1)', [pid]));
      if (locked) return new SnapshotLock(client, tagName, this.clock, cancel);
      client.release();
      return null;
    } catch (error) {
      client.release(true);
      throw toStoreError(error);
    }
  }
}

/** Fills of one schema's tag exclude each other. */
const LOCK_KEY = `hashtextextended('rankcast:fill:' || current_schema() || ':' || $1, 0)`;

class SnapshotLock {
  private snapshotOpen: Snapshot | null = null;
  private isHeld = true;

  constructor(
    private readonly client: PoolClient,
    private readonly tagName: string,
    private readonly clock: () => number,
    /** Ends the query that the connection is busy with. */
    private readonly cancel: () => Promise<void>,
  ) {}

  /** Fails where the connection, and so the lock, is lost; not while a snapshot is open, in which truth stands still. */
  async positions(): Promise<readonly Position[]> {
    this.refuseWhileOpen();
    return await readAllPositions(this.client).catch((error: unknown) => {
      throw toStoreError(error);
    });
  }

  /** Throws a retryable error where truth has not reached `below`. */
  async snapshot(scope: BoardSeason, below?: readonly Position[]): Promise<Snapshot> {
    this.refuseWhileOpen();
    const { client } = this;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`SET LOCAL statement_timeout = ${FILL_TIMEOUT_MS}`);
      await client.query(`SET LOCAL work_mem = '${FILL_WORK_MEMORY}'`);
      // All of it is read: a plan that is quick with the first rows would be slow with all.
      await client.query('SET LOCAL cursor_tuple_fraction = 1');
      const positions = await readAllPositions(client);
      if (below !== undefined) refuseBeyond(positions, below);
      const hidden = await readHidden(client);
      const fold = foldedScores(scope, { now: this.clock(), ...(below !== undefined && { below }) });
      const source = { client, cancel: this.cancel, lists: scope.lists, fold };
      this.snapshotOpen = new Snapshot(source, positions, hidden, () => {
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
    await this.snapshotOpen?.close();
    const isClean = await this.client.query(`SELECT pg_advisory_unlock(${LOCK_KEY})`, [this.tagName]).then(
      () => true,
      () => false,
    );
    // A connection that is destroyed gives the lock back as well.
    this.client.release(!isClean);
  }

  private refuseWhileOpen(): void {
    if (!this.isHeld) throw new Error(`the lock of ${this.tagName} was released: take it again`);
    if (this.snapshotOpen !== null) throw new Error(`a snapshot of ${this.tagName} is open: close it first`);
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

/** A database that was restored meanwhile is behind again: what is asked for is not all there. */
function refuseBeyond(positions: readonly Position[], below: readonly Position[]): void {
  const behind = countBehind(positions, below);
  if (behind === 0) return;
  throw new StoreUnavailableError(
    `PostgreSQL lacks ${behind} records of the log that a fill needs: it starts again when they are there.`,
  );
}
