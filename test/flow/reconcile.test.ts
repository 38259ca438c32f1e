/**
 * Boards damaged by hand while they are played on, and the command that mends them.
 *
 * Set up: a board of rule best and one of rule sum with lists of days, weeks and guilds; a running server; 400 duels. Ten
 * players play no more.
 * Act: rows of those are taken out, changed and put into several lists past the server; `rankcast reconcile`, while the
 * others go on playing; and once more.
 * Expect: the first run finds these rows and no others and mends them, the second one finds nothing; then every list is what
 * brute force says.
 */
import { afterEach, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { type Duel, type DuelBoard, expectedLists, isoWeek, makeDuels } from './duels.js';
import { type Flow, startFlow } from './flow.js';

const PLAYING = Array.from({ length: 40 }, (_, n) => `playing-${n}`);
const RESTING = Array.from({ length: 10 }, (_, n) => `resting-${n}`);
const AT = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
const TODAY = new Date(AT).toISOString().slice(0, 10);
const DAY = `d:${TODAY}`;
const WEEK = `w:${isoWeek(TODAY)}`;
const COMMON = { order: 'high', subject: null, periods: ['day', 'week'], zone: 'UTC', scopes: ['guild'] } as const;
const BOARDS: Readonly<Record<string, DuelBoard>> = {
  best: { ...COMMON, rule: 'best' },
  total: { ...COMMON, rule: 'sum' },
};
const FILE = `
modes: [{ id: duel, points: { max: 4095 } }]
boards:
  - { id: best, modes: [duel], periods: [day, week], scopes: [guild] }
  - { id: total, modes: [duel], rule: sum, maxTotal: 1000000, periods: [day, week], scopes: [guild] }
calendar: { seasons: [{ id: "1", startsAt: 2026-01-01T00:00:00Z, endsAt: 2031-01-01T00:00:00Z }] }
`;
/** What is done by hand on each board; `null` takes a row away. */
const DAMAGE: readonly (readonly [list: string, playerId: string, score: number | null])[] = [
  ['s', 'resting-0', null],
  ['s', 'resting-1', 1],
  ['s', 'stranger', 9_007_199_254_740_991],
  [DAY, 'resting-2', null],
  [DAY, 'resting-0', 2],
  [DAY, 'stranger', 3],
  [WEEK, 'resting-3', null],
  [WEEK, 'resting-4', 4_503_599_627_370_496],
  ['s:guild:gold', 'resting-5', null],
  [`${DAY}:guild:gold`, 'resting-6', 5],
  [`${WEEK}:guild:gold`, 'another stranger', 6],
];

let opened: Flow | undefined;
afterEach(async () => {
  await opened?.close();
});

test('a board damaged by hand is repaired by the command while it is played on', { timeout: 180_000 }, async () => {
  const flow = await startFlow({ boards: FILE });
  opened = flow;
  await flow.startWorker();
  // Days old: of what is played now, rule sum remembers the copies.
  const birth = async () => await flow.redis.hget(metaOf(flow, 'total'), 'birth');
  await until(async () => expect(await birth()).not.toBeNull());
  await flow.redis.hincrby(metaOf(flow, 'total'), 'birth', -3 * 86_400_000);
  const sent: Duel[] = [];
  const play = async (duels: readonly Duel[]): Promise<void> => {
    sent.push(...duels);
    await flow.produce(duels);
  };
  await play(RESTING.flatMap((playerId) => [duelOf(playerId, 0), duelOf(playerId, 1)]));
  await play(duelsOf(PLAYING, 400));
  await expectLists(flow, sent);

  for (const boardId of Object.keys(BOARDS)) await damage(flow, boardId);
  let isOver = false;
  const playing = (async () => {
    while (!isOver) {
      await play(duelsOf(PLAYING, 10));
      await untilInTruth(flow, sent);
    }
  })();
  const before = sent.length;
  const first = await flow.run(['reconcile', '--board', 'all']);
  expect(sent.length).toBeGreaterThan(before);
  const second = await flow.run(['reconcile', '--board', 'all', '--season', '1']);
  isOver = true;
  await playing;

  expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(linesOf(DAMAGE.length)) });
  expect(second, second.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(linesOf(0)) });
  await expectLists(flow, sent);
});

/** One line for each board. */
function linesOf(differing: number): RegExp {
  const lines = Object.keys(BOARDS).map(
    (id) =>
      `reconciled board=${id} season=1 compared=\\d+ differing=${differing} repaired=${differing} seconds=\\d+\\.\\d+\n`,
  );
  return new RegExp(`^${lines.join('')}$`);
}

/** Today, with repeats, all in one guild; none of the copies that say otherwise: their rows are wrong for a while, too. */
function duelsOf(players: readonly string[], count: number): Duel[] {
  const duels = makeDuels(players, count, AT).filter(({ points }) => points < 100);
  return duels.map((duel) => ({ ...duel, achievedAt: AT - duel.points * 1_000, scopes: { guild: 'gold' } }));
}

function duelOf(playerId: string, n: number): Duel {
  const matchId = `${playerId}-${n}`;
  return { matchId, playerId, points: 20 + n, achievedAt: AT - n * 1_000, scopes: { guild: 'gold' } };
}

async function damage(flow: Flow, boardId: string): Promise<void> {
  const generation = await flow.redis.hget(metaOf(flow, boardId), 'generation');
  for (const [list, playerId, score] of DAMAGE) {
    const key = `${flow.redisPrefix}:{${boardId}:s1}:${generation}:${list}`;
    expect(await flow.redis.exists(key), key).toBe(1);
    if (score === null) expect(await flow.redis.zrem(key, playerId)).toBe(1);
    else await flow.redis.zadd(key, score, playerId);
  }
}

async function untilInTruth({ pool, schema }: Flow, sent: readonly Duel[]): Promise<void> {
  const matches = new Set(sent.map(({ matchId }) => matchId)).size;
  await until(async () => {
    const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${schema}.match_results`);
    expect(rows[0]?.n).toBe(matches);
  });
}

async function expectLists(flow: Flow, sent: readonly Duel[]): Promise<void> {
  await until(async () => {
    for (const [boardId, board] of Object.entries(BOARDS)) {
      const lists = [...expectedLists(board, sent)];
      expect(lists, boardId).toHaveLength(6);
      for (const [query, rows] of lists) {
        expect(await readList(flow, boardId, query), `${boardId}?${query}`).toEqual(rows);
      }
    }
  }, 30_000);
}

async function readList({ url }: Flow, boardId: string, query: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/boards/${boardId}/entries?limit=100&${query}`);
  if (!response.ok) throw new Error(`${boardId}?${query}: ${response.status} ${await response.text()}`);
  const { entries } = (await response.json()) as { entries: { rank: number; playerId: string; score: number }[] };
  return entries.map(({ rank, playerId, score }) => ({ rank, playerId, score }));
}

function metaOf({ redisPrefix }: Flow, boardId: string): string {
  return `${redisPrefix}:{${boardId}:s1}:meta`;
}
