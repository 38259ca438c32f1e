import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord, PartitionBatch, Position } from '../../src/domain/log-record.js';
import { packScore, scoreLayout } from '../../src/domain/packed-score.js';
import type { Tag } from '../../src/domain/tag.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS, type SubmitBatch } from '../../src/ranking/ranking.js';
import type { OpenTag } from '../../src/results/open-tags.js';
import { RankingConsumer, type RankingConsumerOptions } from '../../src/results/ranking-consumer.js';
import { bestDefinition, pointsUpTo } from '../support/definitions.js';
import { boardSet, resultJson, season } from './log-fixture.js';

const ARENA: Tag = { boardId: 'arena', seasonId: '1' };
const SOURCE = 'kafka:t';
const AT = Date.now();

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

async function fill({ tag }: Pick<OpenTag, 'tag'>): Promise<void> {
  fills.push(tag.boardId);
  await ranking.begin(tag, bestDefinition(), { jobId: 'job', positions: filledAt });
  await ranking.finish(tag, 'job', 0);
}

function newConsumer(more: Partial<RankingConsumerOptions> = {}): RankingConsumer {
  return new RankingConsumer({
    ranking,
    boardSet,
    fill,
    defineTag: () => bestDefinition(),
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ name }) => `remove ${name} and start again`,
    counters: { count: (outcome, n) => counts.set(outcome, (counts.get(outcome) ?? 0) + n) },
    ...more,
  });
}

function batch(from: number, values: readonly (Uint8Array | null)[], partition = 0): PartitionBatch {
  const records = values.map((value, index): LogRecord => ({ offset: from + index, key: null, value, brokerAt: AT }));
  return { source: SOURCE, partition, from, to: from + values.length, records };
}

const result = (playerId: string, points: number) =>
  resultJson({ playerId, matchId: `${playerId}-${points}`, points, achievedAt: AT });

async function standings(tag = ARENA): Promise<string[] | undefined> {
  const layout = scoreLayout(pointsUpTo(2_097_151), season);
  const reading = await ranking.readRange(tag, 1, 1_000);
  return reading?.rows.map(({ playerId, score }) => `${playerId} ${Math.floor(score / 2 ** layout.timeBits)}`);
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
    expect((await ranking.readRange(ARENA, 1, 1))?.rows[0]?.score).toBe(
      packScore(scoreLayout(pointsUpTo(2_097_151), season), { points: 9 }, AT),
    );
    expect(Object.fromEntries(counts)).toEqual({ applied: 2, 'no-record': 1, rejected: 2 });
    expect((await ranking.state(ARENA))?.positions).toEqual([{ source: SOURCE, partition: 0, next: 6 }]);
  });

  it('gives results an identity where copies would count, the same for each copy', async () => {
    const sum = { ...bestDefinition(), merge: { ...bestDefinition().merge, rule: 'sum' as const } };
    const consumer = newConsumer({ defineTag: () => sum });
    const copy = resultJson({ playerId: 'pl-1', matchId: 'm', points: 5, achievedAt: AT });
    const others = [
      resultJson({ playerId: 'pl-1', matchId: 'n', points: 5, achievedAt: AT }),
      resultJson({ playerId: 'pl-2', matchId: 'm', points: 5, achievedAt: AT }),
    ];
    ranking.begin = (tag, _, start) => MemoryRanking.prototype.begin.call(ranking, tag, sum, start);
    await consumer.positions(SOURCE, [0]);
    ranking.submits.length = 0;
    await consumer.consume(batch(0, [copy, copy, ...others]));
    const identities = ranking.submits.flatMap(({ results }) => results.map(({ identity }) => identity));
    expect(identities[0]).toEqual({ hash: expect.stringMatching(/^-?\d{1,19}$/), achievedAt: AT });
    expect(identities[1]).toEqual(identities[0]);
    expect(new Set(identities.map((identity) => identity?.hash)).size).toBe(3);
  });

  it.each(['{"kind":"recompute","playerId":"pl-1"}', '{"kind":"void","matchId":"m","playerId":"pl-1"}'])(
    'marks a player on every open board at %s',
    async (record) => {
      const consumer = newConsumer();
      await consumer.positions(SOURCE, [0]);
      const asked = Buffer.from(record);
      expect(await consumer.consume(batch(0, [result('pl-1', 5), asked]))).toBe(2);
      expect(await ranking.marks(ARENA)).toMatchObject([
        { playerId: 'pl-1', positions: [{ source: SOURCE, partition: 0, next: 2 }] },
      ]);
      expect(Object.fromEntries(counts)).toEqual({ applied: 1, marked: 1 });
    },
  );

  it('cuts batches of costlier rules smaller', async () => {
    const latest = { ...bestDefinition(), merge: { ...bestDefinition().merge, rule: 'latest' as const } };
    const consumer = newConsumer({ maxSubmitResults: 4, defineTag: () => latest });
    ranking.begin = (tag, _, start) => MemoryRanking.prototype.begin.call(ranking, tag, latest, start);
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
    await afterFailover.begin(ARENA, bestDefinition(), { jobId: 'unfinished', positions: [] });
    ranking.submit = (...call) => afterFailover.submit(...call);
    ranking.state = (...call) => afterFailover.state(...call);
    ranking.begin = (...call) => afterFailover.begin(...call);
    ranking.finish = (...call) => afterFailover.finish(...call);
    expect(await consumer.consume(batch(1, []))).toBe(0);
    expect(await consumer.consume(batch(0, []))).toBe(0);
    expect(fills).toEqual(['arena', 'arena']);
    expect(await afterFailover.state(ARENA)).not.toBeNull();
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
    await older.begin(ARENA, bestDefinition(), {
      jobId: 'job',
      positions: [{ source: SOURCE, partition: 0, next: 1 }],
    });
    await older.finish(ARENA, 'job', 0);
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
    const [arena] = boardSet.boards;
    if (arena === undefined) throw new Error('the fixture has a board');
    const boards = ['a', 'b', 'c'].map((boardId) => ({ ...arena, boardId }));
    let running = 0;
    const mostRunning: number[] = [];
    let isFirst = true;
    const consumer = newConsumer({
      boardSet: { ...boardSet, boards },
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

  it('refuses a board that was filled under another definition, saying what to do', async () => {
    await fill({ tag: ARENA });
    const consumer = newConsumer({ defineTag: () => bestDefinition('other') });
    const positions = consumer.positions(SOURCE, [0]);
    await expect(positions).rejects.toBeInstanceOf(StartRefusedError);
    await expect(positions).rejects.toThrow('remove arena:s1 and start again');
  });

  it('sends a result to every board that takes its mode, and confirms the positions of all', async () => {
    const [arena] = boardSet.boards;
    if (arena === undefined) throw new Error('the fixture has a board');
    const second = { seasonId: '2', startsAt: AT + 5 * 60_000, endsAt: AT + 86_400_000 };
    const far = { seasonId: '3', startsAt: AT + 86_400_000, endsAt: AT + 2 * 86_400_000 };
    const consumer = newConsumer({
      boardSet: {
        ...boardSet,
        modes: [...boardSet.modes, { mode: 'duel', fields: { points: { min: 0, max: 100 } } }],
        boards: [
          arena,
          { ...arena, boardId: 'duels', modes: ['duel'] },
          { ...arena, boardId: 'all', modes: ['arena', 'duel'] },
        ],
        calendar: { ...boardSet.calendar, seasons: [{ ...season, endsAt: second.startsAt }, second, far] },
      },
    });
    await consumer.positions(SOURCE, [0]);
    expect([...fills].sort()).toEqual(['all', 'all', 'arena', 'arena', 'duels', 'duels']);
    await consumer.consume(batch(0, [result('pl-1', 5)]));
    expect(await standings({ boardId: 'all', seasonId: '1' })).toHaveLength(1);
    expect(await standings()).toHaveLength(1);
    expect(await standings({ boardId: 'duels', seasonId: '1' })).toEqual([]);
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
    const consumer = newConsumer({
      lostResults: (tags, { from, to }) => `fill ${tags.map(({ name }) => name).join()}: ${from} to ${to}`,
    });
    await consumer.positions(SOURCE, [0, 1]);
    const lost = consumer.lost(SOURCE, 0, 10, 30);
    await expect(lost).rejects.toBeInstanceOf(StartRefusedError);
    await expect(lost).rejects.toThrow('fill arena:s1: 10 to 30');
    await expect(consumer.lost(SOURCE, 0, 5, 10)).resolves.toBeUndefined();
    // Older than the boards: nobody ever had it.
    await expect(consumer.lost(SOURCE, 1, 0, 30)).resolves.toBeUndefined();
  });
});
