/** Follows the numbered changes of the friend graph: every one is told once, or that some can't be told any more. */

import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { ListeningConnection } from './listening-connection.js';
import { type NumberedSocialChange, readSocialSeq, type SocialChange } from './social-change.js';

const READ_ROWS = 1_000;

export interface SocialChangeListener {
  /** Once for each change, in order of commit; only changes told by `tellOwn` come earlier. */
  changed(change: SocialChange): void;
  /** Changes were missed: more than the kept hour, or the database went back in time. Whatever was read before is doubtful. */
  lost(): void;
}

export interface SocialChangesOptions {
  /** One of its connections is lent out until `close`; the pool is to have a connection time-out. */
  readonly pool: Pool;
  readonly logger: Logger;
  readonly listener: SocialChangeListener;
  /** How often the newest number is compared when nobody notifies. Default 1,000. */
  readonly compareEveryMs?: number;
}

export class SocialChanges {
  private readonly listener: SocialChangeListener;
  private readonly logger: Logger;
  private readonly connection: ListeningConnection;
  /** The last number told; `null` before the first look. */
  private position: number | null = null;
  /** Numbers above the position that were told already. */
  private readonly toldAhead = new Set<number>();
  private markStarted: () => void = () => {};
  private readonly started = new Promise<void>((resolve) => {
    this.markStarted = resolve;
  });

  constructor(options: SocialChangesOptions) {
    this.listener = options.listener;
    this.logger = options.logger;
    this.connection = new ListeningConnection({
      pool: options.pool,
      logger: options.logger,
      lookEveryMs: options.compareEveryMs ?? 1_000,
      look: (client) => this.catchUp(client),
    });
  }

  /** Resolves when every later change will be told. Waits as long as the database is away. */
  async start(): Promise<void> {
    this.connection.start();
    await this.started;
  }

  async close(): Promise<void> {
    await this.connection.close();
    this.markStarted();
  }

  /** Tells a change that this process has just committed, now; unless it was read from the database already. */
  tellOwn(change: NumberedSocialChange): void {
    if (this.position !== null && change.socialSeq <= this.position) return;
    if (this.toldAhead.has(change.socialSeq)) return;
    this.toldAhead.add(change.socialSeq);
    this.tell(change);
  }

  private async catchUp(client: PoolClient): Promise<void> {
    const last = await readLast(client);
    if (this.position === null) {
      this.goOnFrom(last);
      // Lists read before this moment may lack changes that will never be told.
      this.listener.lost();
      this.markStarted();
      return;
    }
    if (last < this.position) return this.lose(last);
    while (this.position < last) {
      const changes = await readAfter(client, this.position);
      if (changes.length === 0) return this.lose(last);
      for (const change of changes) {
        if (change.socialSeq !== this.position + 1) return this.lose(last);
        this.position = change.socialSeq;
        if (!this.toldAhead.delete(change.socialSeq)) this.tell(change);
      }
    }
  }

  private tell({ kind, playerId, friendId }: SocialChange): void {
    // A newer version beside this one may write kinds that mean nothing here.
    if (kind === 'friend-added' || kind === 'friend-removed') this.listener.changed({ kind, playerId, friendId });
  }

  private lose(last: number): void {
    this.logger.warn({ position: this.position, last }, 'social_changes_lost');
    // Back in time: numbers above are given out again, to other changes.
    if (this.position !== null && last < this.position) this.toldAhead.clear();
    this.goOnFrom(last);
    this.listener.lost();
  }

  private goOnFrom(last: number): void {
    this.position = last;
    for (const seq of this.toldAhead) if (seq <= last) this.toldAhead.delete(seq);
  }
}

async function readLast(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ last: string }>('SELECT last FROM social_head');
  return readSocialSeq(rows[0]?.last);
}

async function readAfter(client: PoolClient, position: number): Promise<NumberedSocialChange[]> {
  const sql = `SELECT social_seq, kind, player_id, friend_id FROM social_change
                WHERE social_seq > $1 ORDER BY social_seq LIMIT $2`;
  type Row = { social_seq: string; kind: SocialChange['kind']; player_id: string; friend_id: string };
  const { rows } = await client.query<Row>(sql, [position, READ_ROWS]);
  return rows.map((row) => ({
    socialSeq: readSocialSeq(row.social_seq),
    kind: row.kind,
    playerId: row.player_id,
    friendId: row.friend_id,
  }));
}
