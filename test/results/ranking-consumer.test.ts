import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import { type BoardSeason, BoardSeasons, listRef } from '../../src/domain/board-season.js';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import type { LogRecord, PartitionBatch, Position } from '../../src/domain/log-record.js';
import { packScore, unpackPoints } from '../../src/domain/packed-score.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS, type SubmitBatch } from '../../src/ranking/ranking.js';
import { RankingConsumer, type RankingConsumerOptions } from '../../src/results/ranking-consumer.js';
import { ARENA_BOARD, bestDefinition } from '../support/definitions.js';
import { silent } from '../truth/truth-database.js';
import { boardSet, resultJson, season } from './log-fixture.js';

const SOURCE = 'kafka:t';
const AT = Date.now();
const SEASONS = new BoardSeasons(boardSet);
const ARENA = find(SEASONS);

/** The boards of the file would be these. */
function seasonsOf(...boards: readonly Partial<Board>[]): BoardSeasons {
  return new BoardSeasons({ ...boardSet, boards: boards.map((board) => ({ ...ARENA_BOARD, ...board })) });
}

function find(seasons: BoardSeasons, boardId = 'arena', seasonId = '1'): BoardSeason {
  const found = seasons.find(boardId, seasonId, AT);
  if (found === undefined) throw new Error(`the fixture has no ${boardId}`);
  return found;
}

/** Also keeps what it was asked. */
class WatchedRanking extends MemoryRanking {
  readonly submits: SubmitBatch[] = [];
  override submit(...[tag, hash, batch]: Parameters<MemoryRanking['submit']>): ReturnType<MemoryRanking['submit']> {
    this.submits.push(batch);
    return super.submit(tag, hash, batch);
  }
}

let ranking: WatchedRanking;
let counts: Map<string, number>;
/** Truth's positions at the next fill. */
let filledAt: Position[];
let fills: string[];
beforeEach(() => {
  ranking = new WatchedRanking();
  counts = new Map();
  filledAt = [];
  fills = [];
});
afterEach(() => ranking.close());

async function fill({ tag, definition }: Pick<BoardSeason, 'tag' | 'definition'>): Promise<void> {
  fills.push(tag.boardId);
  await ranking.begin(tag, definition, { jobId: 'job', positions: filledAt, hidden: [] });
  await ranking.finish(tag, 'job', 0, EMPTY_SUM);
}

function newConsumer(more: Partial<RankingConsumerOptions> = {}): RankingConsumer {
  return new RankingConsumer({
    ranking,
    seasons: SEASONS,
    fill,
    voids: { voidedSince: async () => [] },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ name }) => `remove ${name} and start again`,
    lostResults: (tags, { from, to }) => `fill ${tags.map(({ name }) => name).join()}: ${from} to ${to}`,
    logger: silent,
    counters: {
      count: (outcome, n, reason) => {
        const name = reason === undefined ? outcome : `${outcome}: ${reason}`;
        counts.set(name, (counts.get(name) ?? 0) + n);
      },
    },
    ...more,
  });
}

function batch(from: number, values: readonly (Uint8Array | null)[], partition = 0): PartitionBatch {
  const records = values.map((value, index): LogRecord => ({ offset: from + index, key: null, value, brokerAt: AT }));
  return { source: SOURCE, partition, from, to: from + values.length, records };
}

const result = (playerId: string, points: number, scopes: Readonly<Record<string, string>> = {}) =>
  resultJson({ playerId, matchId: `${playerId}-${points}`, points, achievedAt: AT, scopes });

const asked = (record: object) => Buffer.from(JSON.stringify(record));

async function standings(board = ARENA, list?: string): Promise<string[] | undefined> {
  const reading = await ranking.readRange(listRef(board, list), 1, 1_000);
  return reading?.rows.map(({ playerId, score }) => `${playerId} ${unpackPoints(board.layout, score)}`);
}

describe('the ranking group', () => {
  it('fills each open tag once at assignment and begins at the lowest of their positions', async () => {
    filledAt = [{ source: SOURCE, partition: 1, next: 7 }];
    const positions = await newConsumer().positions(SOURCE, [0, 1]);
    expect(positions).toEqual(
      new Map([
        [0, 0],
        [1, 7],
      ]),
    );
    expect(fills).toEqual(['arena']);
  });

  it('brings accepted results to the ranking, packed, and passes over the others', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0]);
    const values = [
      result('pl-1', 5),
      null,
      Buffer.from('?'),
      result('pl-2', 9),
      result('pl-1', 4),
      result('pl-1', -1),
    ];
    expect(await consumer.consume(batch(0, values))).toBe(6);
    expect(await standings()).toEqual(['pl-2 9', 'pl-1 5']);
    expect((await ranking.readRange(listRef(ARENA), 1, 1))?.rows[0]?.score).toBe(
      packScore(ARENA.layout, { points: 9 }, AT),
    );
    expect(Object.fromEntries(counts)).toEqual({
      applied: 2,
      'no-record': 1,
      'rejected: bad_json': 1,
      'rejected: points_out_of_range': 1,
    });
    expect((await ranking.state(ARENA.tag))?.positions).toEqual([{ source: SOURCE, partition: 0, next: 6 }]);
  });

  it('leaves out copies of results that were taken back, in this log or before', async () => {
    const consumer = newConsumer({ voids: { voidedSince: async () => [{ matchId: 'pl-2-9', playerId: 'pl-2' }] } });
    await consumer.positions(SOURCE, [0]);
    const voided = asked({ kind: 'void', matchId: 'pl-1-5', playerId: 'pl-1' });
    await consumer.consume(batch(0, [result('pl-1', 4), voided, result('pl-1', 5), result('pl-2', 9)]));
    expect(await standings()).toEqual(['pl-1 4']);
    expect(counts.get('voided')).toBe(2);
  });

  it('gives results an identity where copies would count, the same for each copy', async () => {
    const consumer = newConsumer({ seasons: seasonsOf({ rule: 'sum', maxTotal: 2_097_151 }) });
    const copy = resultJson({ playerId: 'pl-1', matchId: 'm', points: 5, achievedAt: AT });
    const others = [
      resultJson({ playerId: 'pl-1', matchId: 'n', points: 5, achievedAt: AT }),
      resultJson({ playerId: 'pl-2', matchId: 'm', points: 5, achievedAt: AT }),
    ];
    await consumer.positions(SOURCE, [0]);
    ranking.submits.length = 0;
    await consumer.consume(batch(0, [copy, copy, ...others]));
    const identities = ranking.submits.flatMap(({ results }) => {
      return results.map((one) => ('identity' in one ? one.identity : undefined));
    });
    expect(identities[0]).toEqual({ hash: expect.stringMatching(/^-?\d{1,19}$/), achievedAt: AT });
    expect(identities[1]).toEqual(identities[0]);
    expect(new Set(identities.map((identity) => identity?.hash)).size).toBe(3);
  });

  it.each([
    { kind: 'recompute', playerId: 'pl-1', copies: [] },
    { kind: 'void', matchId: 'm', playerId: 'pl-1' },
    { kind: 'correct', matchId: 'm', playerId: 'pl-1', points: 9 },
    { kind: 'hide', playerId: 'pl-1' },
    { kind: 'unhide', playerId: 'pl-1' },
  ])('marks a player on every open board at $kind', async (record) => {
    const seasons = seasonsOf({}, { boardId: 'other' });
    const consumer = newConsumer({ seasons });
    await consumer.positions(SOURCE, [0]);
    expect(await consumer.consume(batch(0, [result('pl-1', 5), asked(record)]))).toBe(2);
    for (const { tag } of seasons.all) {
      expect(await ranking.marks(tag)).toMatchObject([
        { playerId: 'pl-1', positions: [{ source: SOURCE, partition: 0, next: 2 }] },
      ]);
    }
    expect(Object.fromEntries(counts)).toEqual({ applied: 2, marked: 2 });
  });

  it('hides a player in the lists of everybody, in the order of the log', async () => {
    const seasons = seasonsOf({ periods: ['day'] });
    const board = find(seasons);
    const consumer = newConsumer({ seasons });
    await consumer.positions(SOURCE, [0]);
    const day = board.lists.listsOf({ achievedAt: AT, scopes: {} })[1]?.name;
    await consumer.consume(batch(0, [result('pl-1', 5), result('pl-2', 4)]));
    expect(await standings(board, day)).toEqual(['pl-1 5', 'pl-2 4']);
    await consumer.consume(batch(2, [asked({ kind: 'hide', playerId: 'pl-1' }), result('pl-1', 9)]));
    expect(await standings(board)).toEqual(['pl-2 4']);
    expect(await standings(board, day)).toEqual(['pl-2 4']);
    expect(Object.fromEntries(counts)).toEqual({ applied: 2, marked: 1, hidden: 1 });
  });

  it('counts a result in each of its lists', async () => {
    const seasons = seasonsOf({ periods: ['day', 'week'], scopes: ['guild'] });
    const board = find(seasons);
    const consumer = newConsumer({ seasons });
    await consumer.positions(SOURCE, [0]);
    await consumer.consume(
      batch(0, [result('pl-1', 5, { guild: '77' }), result('pl-2', 9), result('pl-3', 7, { guild: '8' })]),
    );
    const [season, day, week] = board.lists.listsOf({ achievedAt: AT, scopes: {} });
    for (const list of [season, day, week]) {
      expect(await standings(board, list?.name)).toEqual(['pl-2 9', 'pl-3 7', 'pl-1 5']);
      expect(await standings(board, `${list?.name}:guild:77`)).toEqual(['pl-1 5']);
    }
    expect(Object.fromEntries(counts)).toEqual({ applied: 3 });
  });

  it('ranks what the board is about, and asks for it where truth says so', async () => {
    const seasons = seasonsOf({ subject: 'guild' });
    const guilds = find(seasons);
    const consumer = newConsumer({ seasons });
    await consumer.positions(SOURCE, [0]);
    const results = [result('pl-1', 5, { guild: '77' }), result('pl-2', 9, { guild: '77' }), result('pl-3', 99)];
    await consumer.consume(batch(0, [...results, result('pl-4', 7, { guild: '8' })]));
    expect(await standings(guilds)).toEqual(['77 9', '8 7']);
    const identity = { matchId: 'pl-2-9', playerId: 'pl-2' };
    const orders = [
      { kind: 'void', ...identity },
      { kind: 'hide', playerId: 'pl-2' },
    ].map(asked);
    await consumer.consume(batch(4, orders));
    expect(await ranking.marks(guilds.tag)).toEqual([]);
    const copies = [{ achievedAt: AT, scopes: { guild: '77' } }];
    await consumer.consume(batch(6, [asked({ kind: 'recompute', playerId: 'pl-2', copies })]));
    expect((await ranking.marks(guilds.tag)).map(({ playerId, lists }) => [playerId, lists])).toEqual([['77', ['s']]]);
  });

  it('cuts batches of costlier rules smaller', async () => {
    const consumer = newConsumer({ maxSubmitResults: 4, seasons: seasonsOf({ rule: 'latest' }) });
    await consumer.positions(SOURCE, [0]);
    ranking.submits.length = 0;
    await consumer.consume(batch(0, [result('a', 1), result('b', 2), result('c', 3)]));
    expect(ranking.submits.map(({ from, to, results }) => [from, to, results.length])).toEqual([
      [0, 2, 2],
      [2, 3, 1],
    ]);
  });

  it('cuts a large batch into chunks that continue each other', async () => {
    const consumer = newConsumer({ maxSubmitResults: 3 });
    await consumer.positions(SOURCE, [0]);
    ranking.submits.length = 0;
    await consumer.consume(batch(0, [...Array.from({ length: 7 }, (_, n) => result(`pl-${n}`, n)), null]));
    expect(ranking.submits.map(({ from, to, results }) => [from, to, results.length])).toEqual([
      [0, 3, 3],
      [3, 6, 3],
      [6, 8, 1],
    ]);
    expect(await standings()).toHaveLength(7);
  });

  it('counts what was applied where another chunk failed', async () => {
    const consumer = newConsumer({ maxSubmitResults: 1 });
    await consumer.positions(SOURCE, [0]);
    const submit = ranking.submit.bind(ranking);
    ranking.submit = (tag, hash, one) =>
      one.from === 0 ? Promise.reject(new StoreUnavailableError('no answer')) : submit(tag, hash, { ...one, from: 0 });
    await expect(consumer.consume(batch(0, [result('pl-1', 5), result('pl-2', 6)]))).rejects.toThrow('no answer');
    expect(Object.fromEntries(counts)).toEqual({ applied: 1 });
  });

  it('fills a tag again whose fill lost its last step in a failover', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0]);
    await consumer.consume(batch(0, [result('pl-1', 5)]));
    // The server that came back has the fill's begin and not its end.
    const afterFailover = new MemoryRanking();
    await afterFailover.begin(ARENA.tag, ARENA.definition, { jobId: 'unfinished', positions: [], hidden: [] });
    ranking.submit = (...call) => afterFailover.submit(...call);
    ranking.state = (...call) => afterFailover.state(...call);
    ranking.begin = (...call) => afterFailover.begin(...call);
    ranking.finish = (...call) => afterFailover.finish(...call);
    expect(await consumer.consume(batch(1, []))).toBe(0);
    expect(await consumer.consume(batch(0, []))).toBe(0);
    expect(fills).toEqual(['arena', 'arena']);
    expect(await afterFailover.state(ARENA.tag)).not.toBeNull();
    await afterFailover.close();
  });

  it('applies a redelivered batch once', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0]);
    const same = batch(0, [result('pl-1', 5), result('pl-2', 6)]);
    await consumer.consume(same);
    expect(await consumer.consume(same)).toBe(2);
    const other = newConsumer();
    await other.positions(SOURCE, [0]);
    expect(await other.consume(same)).toBe(2);
    expect(counts.get('applied')).toBe(2);
  });

  it('never claims what a tag has not seen: answers where it stands instead', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0]);
    expect(await consumer.consume(batch(4, [result('pl-1', 5)]))).toBe(0);
    expect(await standings()).toEqual([]);
    expect(await consumer.consume(batch(0, [null, null, null, null, result('pl-1', 5)]))).toBe(5);
    expect(await standings()).toEqual(['pl-1 5']);
  });

  it('reads again from where a store stands that came back without its last second', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0]);
    await consumer.consume(batch(0, [result('pl-1', 5), result('pl-2', 6)]));
    const older = new WatchedRanking();
    await older.begin(ARENA.tag, ARENA.definition, {
      jobId: 'job',
      positions: [{ source: SOURCE, partition: 0, next: 1 }],
      hidden: [],
    });
    await older.finish(ARENA.tag, 'job', 0, EMPTY_SUM);
    await ranking.close();
    const wentBack = ranking;
    wentBack.submit = (...call) => older.submit(...call);
    expect(await consumer.consume(batch(2, []))).toBe(1);
    expect(await consumer.consume(batch(1, [result('pl-2', 6)]))).toBe(2);
    ranking = older;
    expect(await standings()).toEqual(['pl-2 6']);
  });

  it('asks for one fill when the board is gone, and goes on where truth stood', async () => {
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0, 1]);
    await consumer.consume(batch(0, [result('pl-1', 5)]));
    const gone = ranking;
    ranking = new WatchedRanking();
    const fresh = ranking;
    gone.submit = (...call) => fresh.submit(...call);
    gone.state = (...call) => fresh.state(...call);
    await gone.close();
    filledAt = [
      { source: SOURCE, partition: 0, next: 1 },
      { source: SOURCE, partition: 1, next: 3 },
    ];
    const nexts = await Promise.all([
      consumer.consume(batch(1, [result('pl-2', 6)])),
      consumer.consume(batch(0, [null], 1)),
    ]);
    expect(nexts).toEqual([1, 3]);
    expect(fills).toEqual(['arena', 'arena']);
    expect(await consumer.consume(batch(1, [result('pl-2', 6)]))).toBe(2);
    expect(await standings()).toEqual(['pl-2 6']);
  });

  it('fails, to be tried again, when a fill fails, and asks for it anew', async () => {
    let isAway = true;
    const consumer = newConsumer({
      fill: async (tag) => {
        if (isAway) throw new StoreUnavailableError('the database is away');
        await fill(tag);
      },
    });
    await expect(consumer.positions(SOURCE, [0])).rejects.toThrow('the database is away');
    await expect(consumer.consume(batch(0, [result('pl-1', 5)]))).rejects.toThrow('the database is away');
    isAway = false;
    expect(await consumer.consume(batch(0, [result('pl-1', 5)]))).toBe(1);
  });

  it('fills one board at a time, and the next also after one that failed', async () => {
    let running = 0;
    const mostRunning: number[] = [];
    let isFirst = true;
    const consumer = newConsumer({
      seasons: seasonsOf({ boardId: 'a' }, { boardId: 'b' }, { boardId: 'c' }),
      fill: async (tag) => {
        running += 1;
        mostRunning.push(running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        const isBroken = isFirst;
        isFirst = false;
        if (isBroken) throw new StoreUnavailableError('the database is away');
        await fill(tag);
      },
    });
    await expect(consumer.positions(SOURCE, [0])).rejects.toThrow('the database is away');
    await consumer.positions(SOURCE, [0]);
    expect(new Set(mostRunning)).toEqual(new Set([1]));
    expect([...new Set(fills)].sort()).toEqual(['a', 'b', 'c']);
  });

  it('refuses the only board where it was filled under another definition, saying what to do', async () => {
    await fill({ tag: ARENA.tag, definition: bestDefinition('other') });
    const consumer = newConsumer();
    const positions = consumer.positions(SOURCE, [0]);
    await expect(positions).rejects.toBeInstanceOf(StartRefusedError);
    await expect(positions).rejects.toThrow('remove arena:s1 and start again');
  });

  it('sends a result to every board that takes its mode, and confirms the positions of all', async () => {
    const second = { seasonId: '2', startsAt: AT + 5 * 60_000, endsAt: AT + 86_400_000 };
    const far = { seasonId: '3', startsAt: AT + 86_400_000, endsAt: AT + 2 * 86_400_000 };
    const seasons = new BoardSeasons({
      ...boardSet,
      modes: [...boardSet.modes, { mode: 'duel', fields: { points: { min: 0, max: 100 } } }],
      boards: [
        ARENA_BOARD,
        { ...ARENA_BOARD, boardId: 'duels', modes: ['duel'] },
        { ...ARENA_BOARD, boardId: 'all', modes: ['arena', 'duel'] },
      ],
      calendar: { ...boardSet.calendar, seasons: [{ ...season, endsAt: second.startsAt }, second, far] },
    });
    const consumer = newConsumer({ seasons });
    await consumer.positions(SOURCE, [0]);
    expect([...fills].sort()).toEqual(['all', 'all', 'arena', 'arena', 'duels', 'duels']);
    await consumer.consume(batch(0, [result('pl-1', 5)]));
    expect(await standings(find(seasons, 'all'))).toHaveLength(1);
    expect(await standings(find(seasons))).toHaveLength(1);
    expect(await standings(find(seasons, 'duels'))).toEqual([]);
    for (const boardId of ['arena', 'duels', 'all']) {
      for (const seasonId of ['1', '2']) {
        const state = await ranking.state({ boardId, seasonId });
        expect(state?.positions).toEqual([{ source: SOURCE, partition: 0, next: 1 }]);
      }
      expect(await ranking.state({ boardId, seasonId: '3' })).toBeNull();
    }
  });

  it('does not go without results that the log has dropped, and names the boards that are to be filled anew', async () => {
    filledAt = [{ source: SOURCE, partition: 0, next: 10 }];
    const consumer = newConsumer();
    await consumer.positions(SOURCE, [0, 1]);
    const lost = consumer.lost(SOURCE, 0, 10, 30);
    await expect(lost).rejects.toBeInstanceOf(StartRefusedError);
    await expect(lost).rejects.toThrow('fill arena:s1: 10 to 30');
    await expect(consumer.lost(SOURCE, 0, 5, 10)).resolves.toBeUndefined();
    // Older than the boards: nobody ever had it.
    await expect(consumer.lost(SOURCE, 1, 0, 30)).resolves.toBeUndefined();
  });
});
