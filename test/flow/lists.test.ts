/**
 * Lists of every period, scope and subject over the same matches, through real Kafka, Redis and PostgreSQL.
 *
 * Set up: one mode, four boards in four time zones; 1,500 duels of the last five days with repeats, conflicting copies, voids,
 * corrections, hides and unhides in any order. The boards of rule sum were born so that they have no memory of copies for
 * half of the duels.
 * Act: all of it through Kafka, with the ranking killed in the middle, and with one board rebuilt by the command while more
 * results come.
 * Expect: every list of every board that is still kept is what brute force says, over HTTP and in windows that were opened before the
 * first duel; and again after a rebuild of all.
 */
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, createClient, type RankedEntry, type View, type WindowState } from '../../src/client/index.js';
import { until } from '../support/until.js';
import { type DuelBoard, type DuelRecord, expectedLists, makeDuels, withOrders } from './duels.js';
import { type Flow, startFlow } from './flow.js';
import { makePlayers } from './matches.js';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const TODAY = Math.floor(NOW / DAY_MS) * DAY_MS;
const DUELS = 1_500;
const PLAYERS = makePlayers(100);
const BIRTH_GRACE_MS = 120_000;

const BOARDS: Readonly<Record<string, DuelBoard>> = {
  best: {
    rule: 'best',
    order: 'high',
    subject: null,
    periods: ['day', 'week'],
    zone: 'Pacific/Auckland',
    scopes: ['guild', 'region'],
  },
  total: {
    rule: 'sum',
    order: 'high',
    subject: null,
    periods: ['day', 'week'],
    zone: 'America/New_York',
    scopes: ['guild'],
  },
  form: { rule: 'latest', order: 'low', subject: null, periods: ['day'], zone: 'Europe/Berlin', scopes: [] },
  guilds: { rule: 'sum', order: 'high', subject: 'guild', periods: ['week'], zone: 'UTC', scopes: ['region'] },
};

const FILE = `
modes: [{ id: duel, points: { max: 4095 } }]
boards:
${Object.entries(BOARDS)
  .map(([id, { rule, order, subject, periods, zone, scopes }]) =>
    [
      `  - { id: ${id}, modes: [duel], rule: ${rule}, order: ${order}, subject: ${subject ?? 'player'}, zone: ${zone}`,
      `periods: [${periods}], scopes: [${scopes}]${rule === 'sum' ? ', maxTotal: 1000000' : ''} }`,
    ].join(', '),
  )
  .join('\n')}
calendar:
  seasons: [{ id: "1", startsAt: ${new Date(TODAY - 20 * DAY_MS).toISOString()}, endsAt: ${new Date(TODAY + 20 * DAY_MS).toISOString()} }]
`;

/** Windows that a session may have by default. */
const TOPICS = 32;

let opened: Flow | undefined;
let clients: Client[] = [];
afterEach(async () => {
  for (const client of clients) client.close();
  clients = [];
  await opened?.close();
});

test('every list equals brute force, live, during a rebuild and after one', { timeout: 180_000 }, async () => {
  const flow = await startFlow({ boards: FILE });
  opened = flow;
  const worker = await flow.startWorker();
  const duels = makeDuels(PLAYERS, DUELS, NOW);
  const middle = duels.map(({ achievedAt }) => achievedAt).sort((a, b) => a - b)[DUELS / 2] ?? 0;
  for (const boardId of ['total', 'guilds']) {
    await until(async () => expect(await flow.redis.hget(metaOf(flow, boardId), 'birth')).not.toBeNull());
    await flow.redis.hset(metaOf(flow, boardId), 'birth', middle - BIRTH_GRACE_MS);
  }
  const records = withOrders(duels, PLAYERS);
  const windows = await watchLists(flow, records);
  const half = Math.floor(records.length / 2);
  const third = Math.floor(records.length / 3);
  await produce(flow, records.slice(0, third));
  await worker.kill();
  await flow.startWorker();
  await produce(flow, records.slice(third, half));

  const rebuilding = flow.run(['rebuild', '--board', 'total']);
  await produce(flow, records.slice(half));
  expect(await rebuilding).toMatchObject({ code: 0 });
  await expectLists(flow, records, windows);
  await expectExpired(flow);

  for (const boardId of Object.keys(BOARDS)) {
    const { code, stdout } = await flow.run(['rebuild', '--board', boardId, '--season', '1']);
    expect(stdout).toMatch(new RegExp(`^rebuilt board=${boardId} season=1 entries=\\d+ `, 'm'));
    expect(code).toBe(0);
  }
  await expectLists(flow, records, windows);
});

async function produce(flow: Flow, records: readonly DuelRecord[]): Promise<void> {
  for (let from = 0; from < records.length; from += 100) await flow.produce(records.slice(from, from + 100));
}

type Windows = ReadonlyMap<string, View<WindowState<RankedEntry>>>;

/** A window on each list, none of which has a row yet, by its id; on as many sockets as it takes. */
async function watchLists(flow: Flow, records: readonly DuelRecord[]): Promise<Windows> {
  const ids = Object.entries(BOARDS).flatMap(([boardId, board]) =>
    [...keptLists(board, records)].map(([query]) => listId(boardId, query)),
  );
  const windows = new Map<string, View<WindowState<RankedEntry>>>();
  for (let from = 0; from < ids.length; from += TOPICS) {
    const client = createClient({ url: flow.url, WebSocket });
    clients.push(client);
    for (const id of ids.slice(from, from + TOPICS)) windows.set(id, client.top(id));
  }
  await Promise.all([...windows.values()].map((window) => window.ready()));
  return windows;
}

/** `period=d:2026-10-12&scope=guild:77` of a board is `board;d=2026-10-12;guild=77`. */
function listId(boardId: string, query: string): string {
  const asked = new URLSearchParams(query);
  const parts = [asked.get('period'), asked.get('scope')].flatMap((part) => {
    const [, name, value = ''] = /^([^:]+):(.*)$/s.exec(part ?? '') ?? [];
    return name === undefined ? [] : [`${name}=${encodeURIComponent(value)}`];
  });
  return [boardId, ...parts].join(';');
}

function keptLists(board: DuelBoard, records: readonly DuelRecord[]) {
  return [...expectedLists(board, records)].filter(([query]) => isKept(query));
}

async function expectLists(flow: Flow, records: readonly DuelRecord[], windows: Windows): Promise<void> {
  await until(async () => {
    for (const [boardId, board] of Object.entries(BOARDS)) {
      const lists = keptLists(board, records);
      expect(lists.length, boardId).toBeGreaterThan(board.scopes.length + board.periods.length);
      for (const [query, rows] of lists) {
        expect(await readList(flow, boardId, query), `${boardId}?${query}`).toEqual(rows);
        const id = listId(boardId, query);
        const shown = windows.get(id)?.current?.entries.map(({ rank, playerId, score }) => ({ rank, playerId, score }));
        expect(shown, `window ${id}`).toEqual(rows);
      }
    }
  }, 45_000);
}

/** A day ends at its zone's midnight: at most 14 hours off that of UTC, so days near the edge are left out. */
function isKept(query: string): boolean {
  const [, date] = /period=d:([\d-]+)/.exec(query) ?? [];
  return date === undefined || Date.parse(date) + 3.4 * DAY_MS > Date.now();
}

async function expectExpired(flow: Flow): Promise<void> {
  const date = new Date(TODAY - 6 * DAY_MS).toISOString().slice(0, 10);
  const response = await fetch(`${flow.url}/v1/boards/best/entries?period=d:${date}`);
  expect(response.status).toBe(404);
  const keys = await flow.redis.keys(`${flow.redisPrefix}:{best:s1}:*:d:${date}*`);
  expect(keys).toEqual([]);
}

async function readList({ url }: Flow, boardId: string, query: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/boards/${boardId}/entries?limit=${PLAYERS.length}&${query}`);
  if (!response.ok) throw new Error(`${boardId}?${query}: ${response.status} ${await response.text()}`);
  const { entries } = (await response.json()) as { entries: { rank: number; playerId: string; score: number }[] };
  return entries.map(({ rank, playerId, score }) => ({ rank, playerId, score }));
}

function metaOf({ redisPrefix }: Flow, boardId: string): string {
  return `${redisPrefix}:{${boardId}:s1}:meta`;
}
