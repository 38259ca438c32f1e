/**
 * One living rankcast for each data folder: an advisory lock in the database itself, held by one connection.
 *
 * The kernel closes that connection however we end, so nothing can be left behind, and a process number that was given
 * out again cannot deceive, as it could with a lock file.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { StartRefusedError } from '../../domain/errors.js';

/** Any number that nothing else in this database uses; here "rankcast" in ASCII, shortened to a positive bigint. */
const LOCK_KEY = '0x72616e6b63617374';
/** The server needs a moment to notice that a killed holder is gone. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 100;

export interface FolderLock {
  release(): Promise<void>;
}

/** @throws {StartRefusedError} when another living process holds the folder. */
export async function lockFolder(url: string, dataDir: string, logger: Logger): Promise<FolderLock> {
  let isReleased = false;
  let client = await acquire(url, dataDir);
  watch(client);

  function watch(held: pg.Client): void {
    held.once('end', () => {
      if (!isReleased) void takeBack();
    });
  }

  /** PostgreSQL drops all its connections when one of its processes crashes, and then goes on. */
  async function takeBack(): Promise<void> {
    logger.warn('the connection that keeps the data folder ours was lost');
    while (!isReleased) {
      try {
        const next = await acquire(url, dataDir);
        client = next;
        watch(next);
        if (isReleased) await next.end();
        return;
      } catch (error) {
        if (error instanceof StartRefusedError) logger.error({ err: error }, 'the data folder is no longer ours');
        await sleep(1_000, undefined, { ref: false });
      }
    }
  }

  return {
    async release() {
      isReleased = true;
      await client.end().catch(() => undefined);
    },
  };
}

async function acquire(url: string, dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `rankcast ${process.pid}`,
    keepAlive: true,
  });
  // From the first moment on: a server that ends between two questions tells nobody else. `end` comes after each loss.
  client.on('error', () => undefined);
  const deadlineAt = Date.now() + PATIENCE_MS;
  try {
    await client.connect();
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock($1::bigint) AS taken`, [
        BigInt(LOCK_KEY).toString(),
      ]);
      if (rows[0]?.taken === true) return client;
      if (Date.now() > deadlineAt) break;
      await sleep(RETRY_MS);
    }
    throw new StartRefusedError(
      `The data folder ${dataDir} is in use by another rankcast${await nameHolder(client)}: stop that one, or name another folder.`,
    );
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function nameHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = $1::bigint LIMIT 1`,
    [BigInt(LOCK_KEY).toString()],
  );
  const pid = /^rankcast (\d+)$/.exec(rows[0]?.name ?? '')?.[1];
  return pid === undefined ? '' : ` (process ${pid})`;
}
