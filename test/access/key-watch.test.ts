import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccessDatabase } from '../../src/access/access-database.js';
import { AccessKeys } from '../../src/access/access-keys.js';
import { KeyWatch } from '../../src/access/key-watch.js';
import { inTransaction } from '../../src/truth/transaction.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';
import { draft } from './drafts.js';

let database: TruthDatabase;
let keys: AccessKeys;
const watches: KeyWatch[] = [];

beforeEach(async () => {
  database = await createTruthDatabase();
  keys = new AccessKeys(database.access);
});

afterEach(async () => {
  await Promise.all(watches.splice(0).map((watch) => watch.close()));
  await database.drop();
});

/** One server: a watch with a pool of its own, its log, and how often it asked. */
function startServer(lookEveryMs?: number) {
  const pool = database.newPool();
  const server = { looks: 0, isAway: false, lines: [] as string[] };
  const access: AccessDatabase = {
    transact: (work) => {
      server.looks += 1;
      return server.isAway ? Promise.reject(new Error('away')) : inTransaction(pool, work);
    },
  };
  const logger = pino({ level: 'info' }, { write: (line) => void server.lines.push(JSON.parse(line).msg) });
  const watch = new KeyWatch({ database: access, logger, ...(lookEveryMs === undefined ? {} : { lookEveryMs }) });
  watches.push(watch);
  return Object.assign(server, { watch });
}

/** Resolves when the server has begun and ended one more look. */
async function oneMoreLook(server: { readonly looks: number }): Promise<void> {
  const seen = server.looks;
  // The one after it begins only when it is over.
  await vi.waitFor(() => expect(server.looks).toBeGreaterThan(seen + 1), { timeout: 5_000, interval: 2 });
}

describe('KeyWatch', () => {
  it('tells the sessions of a revoked key on two servers within about a second, once, and nobody else', async () => {
    const [one, other] = [await keys.create(draft()), await keys.create(draft())];
    const servers = [startServer(), startServer()];
    const told = servers.map(({ watch }) => {
      const calls = { ofKey: vi.fn(), second: vi.fn(), ofOther: vi.fn() };
      watch.watch(one.keyId, calls.ofKey);
      watch.watch(one.keyId, calls.second);
      watch.watch(other.keyId, calls.ofOther);
      return calls;
    });
    await keys.revoke(one.keyId);
    await vi.waitFor(() => {
      for (const { ofKey, second } of told) {
        expect(ofKey).toHaveBeenCalledOnce();
        expect(second).toHaveBeenCalledOnce();
      }
    }, 1_500);
    await Promise.all(servers.map(oneMoreLook));
    for (const { ofKey, second, ofOther } of told) {
      expect([ofKey, second, ofOther].map((calls) => calls.mock.calls.length)).toEqual([1, 1, 0]);
    }
  });

  it('tells of a key that was revoked before, that comes to its end, and that is gone', async () => {
    const [revoked, ended, gone] = [
      await keys.create(draft()),
      await keys.create(draft({ expiresInMs: 60_000 })),
      await keys.create(draft()),
    ];
    await keys.revoke(revoked.keyId);
    const server = startServer(10);
    const told: string[] = [];
    for (const { keyId } of [revoked, ended, gone]) server.watch.watch(keyId, () => told.push(keyId));
    await vi.waitFor(() => expect(told).toEqual([revoked.keyId]), 5_000);
    await database.ask('UPDATE access_key SET expires_at = clock_timestamp() WHERE key_id = $1', [ended.keyId]);
    await vi.waitFor(() => expect(told).toEqual([revoked.keyId, ended.keyId]), 5_000);
    await database.ask('DELETE FROM access_key WHERE key_id = $1', [gone.keyId]);
    await vi.waitFor(() => expect(told).toEqual([revoked.keyId, ended.keyId, gone.keyId]), 5_000);
  });

  it('does not tell a session that has gone, and asks nothing when all have', async () => {
    const { keyId } = await keys.create(draft());
    const server = startServer(10);
    const [gone, here] = [vi.fn(), vi.fn()];
    const leave = server.watch.watch(keyId, gone);
    const stop = server.watch.watch(keyId, here);
    await oneMoreLook(server);
    leave();
    await keys.revoke(keyId);
    await vi.waitFor(() => expect(here).toHaveBeenCalledOnce(), 5_000);
    expect(gone).not.toHaveBeenCalled();
    stop();
    // Of a server that does watch one: its looks show that time has passed.
    const [quiet, busy] = [startServer(10), startServer(10)];
    quiet.watch.watch(keyId, gone)();
    busy.watch.watch((await keys.create(draft())).keyId, () => {});
    await oneMoreLook(busy);
    expect(quiet.looks).toBe(0);
  });

  it('watches a key again for a later session, and leaving twice does not end that', async () => {
    const { keyId } = await keys.create(draft());
    const server = startServer(10);
    const early = server.watch.watch(keyId, () => {});
    early();
    const late = vi.fn();
    server.watch.watch(keyId, late);
    early();
    await keys.revoke(keyId);
    await vi.waitFor(() => expect(late).toHaveBeenCalledOnce(), 5_000);
  });

  it('goes on while the database is away, says so once, and tells what it missed', async () => {
    const { keyId } = await keys.create(draft());
    const server = startServer(5);
    const told = vi.fn();
    server.watch.watch(keyId, told);
    server.isAway = true;
    await keys.revoke(keyId);
    for (let i = 0; i < 3; i++) await oneMoreLook(server);
    expect(told).not.toHaveBeenCalled();
    expect(server.lines).toEqual(['revoked keys are not noticed now: their sessions go on']);
    server.isAway = false;
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce(), 5_000);
    expect(server.lines.slice(1)).toEqual(['revoked keys are noticed again']);
  });

  it('tells the others although one session fails', async () => {
    const { keyId } = await keys.create(draft());
    const server = startServer(5);
    const told = vi.fn();
    server.watch.watch(keyId, () => {
      throw new Error('defect');
    });
    server.watch.watch(keyId, told);
    await keys.revoke(keyId);
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce(), 5_000);
    expect(server.lines).toEqual(['a session did not take that its key was revoked']);
  });
});
