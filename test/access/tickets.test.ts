import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessKeys } from '../../src/access/access-keys.js';
import { Tickets } from '../../src/access/tickets.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { inTransaction } from '../../src/truth/transaction.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';
import { draft } from './drafts.js';

const player = { kind: 'player', playerId: '42', expiresAt: 1_791_828_201_000 } as const;

let database: TruthDatabase;
let tickets: Tickets;

beforeEach(async () => {
  database = await createTruthDatabase();
  tickets = new Tickets({ database: database.access });
});

afterEach(() => database.drop());

/** The tickets of another server. */
function otherServer(): Tickets {
  const pool = database.newPool();
  return new Tickets({ database: { transact: (work) => inTransaction(pool, work) } });
}

async function countRows(): Promise<number> {
  const [row] = await database.ask<{ rows: number }>('SELECT count(*)::int AS rows FROM socket_ticket');
  return row?.rows ?? -1;
}

describe('Tickets', () => {
  it('turns into the player and the end of the token that asked for it', async () => {
    const issued = await tickets.issue(player);
    expect(issued).toEqual({ ticket: expect.stringMatching(/^rct_[A-Za-z0-9_-]{43}$/), expiresInMs: 30_000 });
    expect(await otherServer().redeem(issued.ticket)).toEqual(player);
    const late = { ...player, expiresAt: 8.64e15 };
    expect(await tickets.redeem((await tickets.issue(late)).ticket)).toEqual(late);
    const endless = await tickets.issue({ ...player, expiresAt: null });
    expect(await tickets.redeem(endless.ticket)).toEqual({ ...player, expiresAt: null });
  });

  it('counts once, however many come with it to several servers at once', async () => {
    const servers = [tickets, otherServer(), otherServer()];
    for (let round = 0; round < 5; round++) {
      const { ticket } = await tickets.issue(player);
      const redeems = Array.from({ length: 20 }, (_, i) => (servers[i % 3] ?? tickets).redeem(ticket));
      const redeemed = await Promise.all(redeems);
      expect(redeemed.filter((one) => one !== null)).toEqual([player]);
    }
    expect(await countRows()).toBe(0);
  });

  it('is over after its time, and then gone', async () => {
    const short = new Tickets({ database: database.access, lifetimeMs: 0 });
    const { ticket, expiresInMs } = await short.issue(player);
    expect(expiresInMs).toBe(0);
    expect(await tickets.redeem(ticket)).toBeNull();
    expect(await countRows()).toBe(0);
  });

  it('leaves no tickets behind that nobody came with', async () => {
    const short = new Tickets({ database: database.access, lifetimeMs: 0 });
    for (let i = 0; i < 5; i++) await short.issue(player);
    const { ticket } = await tickets.issue(player);
    expect(await countRows()).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => short.issue(player)));
    await tickets.issue(player);
    expect(await countRows()).toBe(2);
    expect(await tickets.redeem(ticket)).toEqual(player);
  });

  it('of a key turns into what the key is now', async () => {
    const keys = new AccessKeys(database.access);
    const { key, ...made } = await keys.create(draft({ windows: ['top', 'me'], playerId: '42' }));
    const [counting, revoked] = [
      await tickets.issue({ kind: 'key', keyId: made.keyId }),
      await tickets.issue({ kind: 'key', keyId: made.keyId }),
    ];
    expect(await tickets.redeem(counting.ticket)).toEqual({ kind: 'key', key: { ...made, isOver: false } });
    await keys.revoke(made.keyId);
    expect(await tickets.redeem(revoked.ticket)).toMatchObject({ kind: 'key', key: { isOver: true } });
  });

  it.each(['', 'rct_', '\u0000', "' OR true --", '\ud800', 'x'.repeat(9_999)])('takes %.20s for none', async (text) => {
    const { ticket } = await tickets.issue(player);
    expect(await tickets.redeem(text)).toBeNull();
    expect(await tickets.redeem(ticket.toLowerCase())).toBeNull();
    expect(await tickets.redeem(ticket)).toEqual(player);
  });

  it('is kept by its hash alone', async () => {
    const { ticket } = await tickets.issue(player);
    const [row] = await database.ask<{ all: string }>('SELECT socket_ticket::text AS all FROM socket_ticket');
    expect(row?.all).not.toContain(Buffer.from(ticket).toString('hex'));
    expect(row?.all).not.toContain(Buffer.from(ticket.slice(4), 'base64url').toString('hex'));
  });

  it('says that the database is away, and not that the ticket is none', async () => {
    const { ticket } = await tickets.issue(player);
    await database.ask('ALTER TABLE socket_ticket RENAME TO elsewhere');
    await expect(tickets.redeem(ticket)).rejects.toBeInstanceOf(StoreUnavailableError);
  });
});
