/** While a board is filled under another definition, the servers of this one still have all the others to serve. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardSeason, BoardSeasons, listRef } from '../../src/domain/board-season.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import type { LogRecord, PartitionBatch } from '../../src/domain/log-record.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import type { FillTag } from '../../src/results/tag-positions.js';
import { DetachedDaysError } from '../../src/truth/detached-days.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { silent } from '../truth/truth-database.js';
import { boardSet, resultJson } from './log-fixture.js';

const SOURCE = 'kafka:t';
const AT = Date.now();
const SEASONS = new BoardSeasons({ ...boardSet, boards: [ARENA_BOARD, { ...ARENA_BOARD, boardId: 'other' }] });
const [CHANGED, OTHER] = SEASONS.all as [BoardSeason, BoardSeason];

/** Counts what each tag is asked. */
class CountingRanking extends MemoryRanking {
  readonly asked = new Map<string, number>();
  override submit(...[tag, hash, batch]: Parameters<MemoryRanking['submit']>): ReturnType<MemoryRanking['submit']> {
    this.asked.set(tag.boardId, (this.asked.get(tag.boardId) ?? 0) + 1);
    return super.submit(tag, hash, batch);
  }
}

let ranking: CountingRanking;
let clock: number;
let consumer: RankingConsumer;
beforeEach(() => {
  ranking = new CountingRanking();
  clock = AT;
  consumer = newConsumer();
});
afterEach(() => ranking.close());

/** Whoever fills it stands at `next`. */
async function fillUnder(hash: string, next: number, { tag, definition }: BoardSeason = CHANGED): Promise<void> {
  const start = { jobId: `${hash} ${next}`, positions: [{ source: SOURCE, partition: 0, next }], hidden: [] };
  await ranking.begin(tag, { ...definition, hash }, { ...start, replace: true });
  await ranking.finish(tag, start.jobId, 0, EMPTY_SUM);
}

const fill: FillTag = (tag) => fillUnder(tag.definition.hash, 0, tag);

function newConsumer(ofFill: FillTag = fill): RankingConsumer {
  return new RankingConsumer({
    ranking,
    seasons: SEASONS,
    fill: ofFill,
    voids: { voidedSince: async () => [] },
    counters: { count: () => {} },
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ name }) => `rebuild ${name}`,
    lostResults: (tags) => tags.map(({ name }) => name).join(),
    now: () => clock,
    logger: silent,
  });
}

/** A result of another player at each offset. */
function batch(from: number, to: number): PartitionBatch {
  const records = Array.from({ length: to - from }, (_, index): LogRecord => {
    const offset = from + index;
    const value = resultJson({ playerId: `pl-${offset}`, matchId: `m-${offset}`, achievedAt: AT });
    return { offset, key: null, value, brokerAt: AT };
  });
  return { source: SOURCE, partition: 0, from, to, records };
}

const rows = async (board: BoardSeason) => (await ranking.readRange(listRef(board), 1, 100))?.total ?? null;

describe('a board that was filled under another definition', () => {
  it('lets the server start for the others, and is named with what to do', async () => {
    await fillUnder('changed', 7);
    await fillUnder(OTHER.definition.hash, 40, OTHER);
    expect(consumer.problem()).toBeUndefined();
    expect(await consumer.positions(SOURCE, [0])).toEqual(new Map([[0, 40]]));
    expect(consumer.problem()).toBe(`rebuild ${CHANGED.name}`);
    expect(await consumer.consume(batch(40, 50))).toBe(50);
    expect(await rows(OTHER)).toBe(10);
  });

  it('refuses the start where no board is left', async () => {
    for (const tag of SEASONS.all) await fillUnder('changed', 7, tag);
    const positions = consumer.positions(SOURCE, [0]);
    await expect(positions).rejects.toBeInstanceOf(StartRefusedError);
    await expect(positions).rejects.toThrow(`rebuild ${CHANGED.name}; rebuild ${OTHER.name}`);
  });

  it('lets the others start as well where it is a fill that finds out', async () => {
    const late = newConsumer(async (tag) => {
      if (tag === CHANGED) throw new StartRefusedError('somebody began to rebuild it');
      await fill(tag);
    });
    await late.positions(SOURCE, [0]);
    expect(late.problem()).toBe('somebody began to rebuild it');
    expect(await late.consume(batch(0, 10))).toBe(10);
    expect(await rows(OTHER)).toBe(10);
  });

  it('lets the others start as well where a board cannot be filled for want of detached days', async () => {
    const late = newConsumer(async (tag) => {
      if (tag === CHANGED) throw new DetachedDaysError('needs results of 2026-09-01');
      await fill(tag);
    });
    await late.positions(SOURCE, [0]);
    expect(late.problem()).toBe('needs results of 2026-09-01');
    expect(await late.consume(batch(0, 10))).toBe(10);
    expect(await rows(OTHER)).toBe(10);
  });
});

describe('a board that a rebuild takes away while results arrive', () => {
  beforeEach(async () => {
    await consumer.positions(SOURCE, [0]);
    expect(await consumer.consume(batch(0, 5))).toBe(5);
    const { tag, definition } = CHANGED;
    const rebuild = { jobId: 'rebuild', positions: [], hidden: [], replace: true };
    await ranking.begin(tag, { ...definition, hash: 'changed' }, rebuild);
  });

  it('holds up no other board', async () => {
    // As a feed does: what was refused is offered again, what was taken is not.
    let next = 5;
    for (let offer = 0; offer < 5; offer++) next = await consumer.consume(batch(next, next + 1)).catch(() => next);
    expect([next, await rows(OTHER), await rows(CHANGED)]).toEqual([10, 10, 5]);
    expect(consumer.problem()).toBe(`rebuild ${CHANGED.name}`);
  });

  it('is asked about once a second, also where the log never rests', async () => {
    ranking.asked.clear();
    for (let offset = 5; offset < 45; offset++) {
      expect(await consumer.consume(batch(offset, offset + 1))).toBe(offset + 1);
      clock += 100;
    }
    expect(ranking.asked.get('other')).toBe(40);
    expect(ranking.asked.get('arena')).toBe(4);
  });

  it('goes on by itself when it may, from where its fill put it, and misses nothing', async () => {
    expect(await consumer.consume(batch(5, 20))).toBe(20);
    await fillUnder(CHANGED.definition.hash, 3);
    expect(await consumer.consume(batch(20, 20))).toBe(20);
    clock += 1_000;
    expect(await consumer.consume(batch(20, 20))).toBe(3);
    expect(consumer.problem()).toBeUndefined();
    expect(await consumer.consume(batch(3, 25))).toBe(25);
    expect([await rows(OTHER), await rows(CHANGED)]).toEqual([25, 22]);
  });

  it('has the log stand still, and says why, where it is the last one', async () => {
    await fillUnder('changed', 7, OTHER);
    const consumed = consumer.consume(batch(5, 20));
    await expect(consumed).rejects.toBeInstanceOf(StartRefusedError);
    await expect(consumed).rejects.toThrow(`rebuild ${CHANGED.name}; rebuild ${OTHER.name}`);
    await fillUnder(OTHER.definition.hash, 5, OTHER);
    clock += 1_000;
    expect(await consumer.consume(batch(5, 20))).toBe(20);
    expect(await rows(OTHER)).toBe(15);
  });

  it('counts for nothing where the log has dropped records', async () => {
    await consumer.consume(batch(5, 6));
    await expect(consumer.lost(SOURCE, 0, 5, 6)).resolves.toBeUndefined();
  });
});
