/** Notices that keys of live sessions were revoked or came to their end, whichever server did it: one look at the table a second. */

import type { Logger } from 'pino';
import type { AccessDatabase } from './access-database.js';
import { IS_OVER_SQL } from './key-rows.js';

/** Less than the second that was promised, by what a look takes. */
const LOOK_EVERY_MS = 900;

export interface KeyWatchOptions {
  readonly database: AccessDatabase;
  readonly logger: Logger;
  /** Default 900. */
  readonly lookEveryMs?: number;
}

interface Listener {
  readonly onRevoked: () => void;
}

export class KeyWatch {
  private readonly options: Required<KeyWatchOptions>;
  /** By key id; one without a listener is not in here, and not asked for. */
  private readonly listeners = new Map<string, Set<Listener>>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;
  private isTroubled = false;
  private isClosed = false;

  constructor(options: KeyWatchOptions) {
    this.options = { lookEveryMs: LOOK_EVERY_MS, ...options };
  }

  /**
   * Calls `onRevoked`, at most once, when the key does not count any more, until the answered function is called. The key's state
   * is compared, not its change: one revoked just before this call is told as well.
   */
  watch(keyId: string, onRevoked: () => void): () => void {
    const listener = { onRevoked };
    const ofKey = this.listeners.get(keyId) ?? new Set();
    this.listeners.set(keyId, ofKey.add(listener));
    this.scheduleLook();
    return () => {
      ofKey.delete(listener);
      // Told listeners leave with their set; a later session may have begun another one.
      if (ofKey.size === 0 && this.listeners.get(keyId) === ofKey) this.listeners.delete(keyId);
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private scheduleLook(): void {
    if (this.isClosed || this.timer !== undefined || this.looking !== null || this.listeners.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = this.look().finally(() => {
        this.looking = null;
        this.scheduleLook();
      });
    }, this.options.lookEveryMs);
  }

  /** While PostgreSQL is away keys count as they did: screens go on, and the first look after it tells what was missed. */
  private async look(): Promise<void> {
    const { logger } = this.options;
    try {
      const over = await this.readOver([...this.listeners.keys()]);
      if (this.isTroubled) logger.info('revoked keys are noticed again');
      this.isTroubled = false;
      if (!this.isClosed) for (const keyId of over) this.tell(keyId);
    } catch (error) {
      if (!this.isTroubled) logger.warn({ err: error }, 'revoked keys are not noticed now: their sessions go on');
      this.isTroubled = true;
    }
  }

  /** A key without a row, as after an older dump was restored, does not count either. */
  private async readOver(keyIds: readonly string[]): Promise<string[]> {
    if (keyIds.length === 0) return [];
    const sql = `SELECT asked.key_id FROM unnest($1::text[]) AS asked (key_id)
      WHERE NOT EXISTS (SELECT FROM access_key WHERE access_key.key_id = asked.key_id AND NOT ${IS_OVER_SQL})`;
    const { rows } = await this.options.database.transact((client) => {
      return client.query<{ key_id: string }>(sql, [keyIds]);
    });
    return rows.map((row) => row.key_id);
  }

  private tell(keyId: string): void {
    const told = this.listeners.get(keyId) ?? [];
    this.listeners.delete(keyId);
    for (const { onRevoked } of told) {
      try {
        onRevoked();
      } catch (error) {
        // One session's defect must not keep the others open.
        this.options.logger.error({ err: error, keyId }, 'a session did not take that its key was revoked');
      }
    }
  }
}
