/**
 * Boards of every rule, order and number of keys over the same matches, through real Kafka, Redis and PostgreSQL.
 *
 * Set up: one mode with three fields, five boards; 2,000 results with repeats, conflicts, voids and ties for 200 players.
 * Act: all of it through Kafka, with the ranking killed in the middle; then every board is filled anew from PostgreSQL.
 * The tags were born so that the rule sum has no memory of copies for half of the results: these go by PostgreSQL.
 * Expect: both times each board is what a brute-force ranking of the raw values says.
 */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { type Flow, INGEST_TOKEN, startFlow } from './flow.js';
import { makePlayers } from './matches.js';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const SEASON_START = TODAY - 180 * DAY_MS;
const RESULTS = 2_000;
const PLAYERS = 200;
const REPEAT_SHARE = 0.15;
/** The same match with other points, better than any: the first content wins. */
const CONFLICT_SHARE = 0.05;
const VOID_SHARE = 0.03;
/** How long after its birth a tag takes results for copies that it may have forgotten. */
const BIRTH_GRACE_MS = 120_000;

const BOARDS = `
modes:
  - id: race
    fields: { points: { max: 1023 }, timeMs: { max: 4095 }, games: { max: 15 } }
boards:
  - { id: points, modes: [race] }
  - { id: fastest, modes: [race], keys: [{ field: timeMs, order: low }] }
  - { id: form, modes: [race], rule: latest }
  - { id: career, modes: [race], rule: sum, maxTotal: 1000000 }
  - id: power
    modes: [race]
    keys: [{ field: points }, { field: timeMs, order: low }, { field: games }]
calendar:
  seasons: [{ id: "1", startsAt: ${new Date(SEASON_START).toISOString()}, endsAt: ${new Date(TODAY + 180 * DAY_MS).toISOString()} }]
`;

interface Race {
  readonly matchId: string;
  readonly playerId: string;
  readonly points: { readonly points: number; readonly timeMs: number; readonly games: number };
  readonly achievedAt: number;
}

/** What a board shows of a result, what orders it (higher is better), and its time unit: 53 bits less those of the keys. */
interface Expected {
  readonly rule: 'best' | 'latest' | 'sum';
  readonly unitMs: number;
  readonly shown: (race: Race) => number;
  readonly keys: (race: Race) => number[];
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  points: { rule: 'best', unitMs: 1, shown: ({ points }) => points.points, keys: ({ points }) => [points.points] },
  fastest: { rule: 'best', unitMs: 1, shown: ({ points }) => points.timeMs, keys: ({ points }) => [-points.timeMs] },
  form: { rule: 'latest', unitMs: 1, shown: ({ points }) => points.points, keys: ({ points }) => [points.points] },
  career: { rule: 'sum', unitMs: 1, shown: ({ points }) => points.points, keys: ({ points }) => [points.points] },
  power: {
    rule: 'best',
    // 26 bits of keys leave 27: 360 days in seconds need 25, in tenths of seconds 29.
    unitMs: 1_000,
    shown: ({ points }) => points.points,
    keys: ({ points: { points, timeMs, games } }) => [points, -timeMs, games],
  },
};

let opened: Flow | undefined;
afterEach(async () => {
  await opened?.close();
});

test('boards of every rule and order equal brute force, live and filled anew', { timeout: 120_000 }, async () => {
  const installation = await startFlow({ boards: BOARDS });
  opened = installation;
  const worker = await installation.startWorker();
  let after = worker;
  const races = makeRaces();
  await until(async () =>
    expect(await installation.redis.hget(metaOf(installation, 'career'), 'birth')).not.toBeNull(),
  );
  const times = races.map(({ achievedAt }) => achievedAt).sort((a, b) => a - b);
  const middle = times[RESULTS / 2] ?? 0;
  await installation.redis.hset(metaOf(installation, 'career'), 'birth', middle - BIRTH_GRACE_MS);

  const voided = withVoids(races);
  const { records } = voided;
  let { left } = voided;
  for (let from = 0; from < records.length; from += 100) {
    await installation.produce(records.slice(from, from + 100));
    if (from !== RESULTS / 2) continue;
    await worker.kill();
    after = await installation.startWorker();
  }
  await expectBoards(installation, left);
  const outcomes = await outcomesOf(after);
  expect(outcomes).toContain('outcome="late"');
  expect(outcomes).toContain('outcome="duplicate"');
  expect(outcomes).toContain('outcome="marked"');

  // Taken back over HTTP: the best of the points board, and with it wherever else it counted.
  const best = left.reduce((a, b) => (b.points.points > a.points.points ? b : a));
  const receipt = async () =>
    await ask(installation, 'GET', `/v1/results/${best.matchId}/${encodeURIComponent(best.playerId)}`);
  expect(await receipt()).toMatchObject({ voidedAt: null });
  await ask(installation, 'POST', `/v1/results/${best.matchId}/${encodeURIComponent(best.playerId)}/void`);
  left = left.filter(({ matchId }) => matchId !== best.matchId);
  await expectBoards(installation, left);
  const { boards } = (await receipt()) as { boards: { status: string }[] };
  expect(boards.map(({ status }) => status)).toEqual(Object.keys(EXPECTED).map(() => 'voided'));

  const epochs = await readEpochs(installation);
  for (const boardId of Object.keys(EXPECTED)) {
    await installation.redis.hdel(metaOf(installation, boardId), 'definition', 'generation');
  }
  await until(async () => {
    const now = await readEpochs(installation);
    expect(now.every((epoch, index) => epoch !== null && epoch !== epochs[index])).toBe(true);
  }, 30_000);
  await expectBoards(installation, left);
});

/** The races with voids of some matches anywhere among them, also before their results; and what is left then. */
function withVoids(races: readonly Race[]) {
  const voided = new Set(races.filter(() => Math.random() < VOID_SHARE).map(({ matchId }) => matchId));
  const records: (Race | { kind: 'void'; matchId: string; playerId: string })[] = [...races];
  for (const matchId of voided) {
    const playerId = races.find((race) => race.matchId === matchId)?.playerId ?? '';
    records.splice(Math.floor(Math.random() * (records.length + 1)), 0, { kind: 'void', matchId, playerId });
  }
  return { records, left: races.filter(({ matchId }) => !voided.has(matchId)) };
}

/** Of each match the content that came first. */
function withoutConflicts(races: readonly Race[]): Race[] {
  const first = new Map(races.toReversed().map((race) => [race.matchId, race]));
  return [...first.values()];
}

/** Few enough values and times that most tie with others; results come in no order of time. */
function makeRaces(): Race[] {
  const players = makePlayers(PLAYERS);
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const latest = Date.now() - 60_000;
  const races: Race[] = [];
  while (races.length < RESULTS) {
    const earlier = races[below(races.length)];
    if (earlier !== undefined && Math.random() < REPEAT_SHARE) {
      races.push(earlier);
      continue;
    }
    if (earlier !== undefined && Math.random() < CONFLICT_SHARE) {
      races.push({ ...earlier, points: { points: 1_023, timeMs: 0, games: 15 } });
      continue;
    }
    races.push({
      matchId: randomUUID(),
      playerId: players[below(PLAYERS)] ?? '',
      points: { points: 1_023 - below(20), timeMs: below(30), games: below(16) },
      achievedAt: latest - below(40) * 400,
    });
  }
  return races;
}

/** As a game server; the parsed answer. */
async function ask({ url }: Flow, method: string, path: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${INGEST_TOKEN}` } });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

async function expectBoards({ url }: Flow, races: readonly Race[]): Promise<void> {
  await until(async () => {
    for (const [boardId, expected] of Object.entries(EXPECTED)) {
      const response = await fetch(`${url}/v1/boards/${boardId}/entries?limit=${PLAYERS}`);
      const { entries } = (await response.json()) as { entries: { rank: number; playerId: string; score: number }[] };
      const shown = entries.map(({ rank, playerId, score }) => [rank, playerId, score]);
      expect(shown, boardId).toEqual(bruteForce(withoutConflicts(races), expected));
    }
  }, 30_000);
}

function bruteForce(races: readonly Race[], { rule, unitMs, shown, keys }: Expected): unknown[] {
  const unit = (race: Race) => Math.floor((race.achievedAt - SEASON_START) / unitMs);
  const byKeys = (a: Race, b: Race) => {
    const [left, right] = [keys(a), keys(b)];
    const index = left.findIndex((value, at) => value !== right[at]);
    return index === -1 ? 0 : (right[index] ?? 0) - (left[index] ?? 0);
  };
  const byPlace = (a: Race, b: Race) => byKeys(a, b) || unit(a) - unit(b);
  const byTime = (a: Race, b: Race) => unit(b) - unit(a) || byKeys(a, b);
  const entries = new Map<string, Race>();
  for (const race of rule === 'sum' ? addUp(races) : races) {
    const known = entries.get(race.playerId);
    if (known === undefined || (rule === 'best' ? byPlace : byTime)(race, known) < 0) entries.set(race.playerId, race);
  }
  const ranked = [...entries.values()].sort(
    (a, b) => byPlace(a, b) || Buffer.compare(Buffer.from(b.playerId), Buffer.from(a.playerId)),
  );
  return ranked.map((race, index) => [index + 1, race.playerId, shown(race)]);
}

/** One race for each player: the points of all his matches at the time of the last. */
function addUp(races: readonly Race[]): Race[] {
  const totals = new Map<string, Race>();
  for (const race of races) {
    const before = totals.get(race.playerId);
    const total = (before?.points.points ?? 0) + race.points.points;
    const achievedAt = Math.max(before?.achievedAt ?? 0, race.achievedAt);
    totals.set(race.playerId, { ...race, points: { ...race.points, points: total }, achievedAt });
  }
  return [...totals.values()];
}

async function readEpochs(flow: Flow): Promise<(string | null)[]> {
  return await Promise.all(Object.keys(EXPECTED).map((boardId) => flow.redis.hget(metaOf(flow, boardId), 'epoch')));
}

/** What a worker's ranking counted. */
async function outcomesOf({ adminPort }: ServerProcess): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('rankcast_results_total'));
  return lines.join('\n');
}

function metaOf({ redisPrefix }: Flow, boardId: string): string {
  return `${redisPrefix}:{${boardId}:s1}:meta`;
}
