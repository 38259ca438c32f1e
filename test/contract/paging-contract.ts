/** Contract tests of pages: reading on below an order key, while the board changes between two pages. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Entry } from '../../src/domain/change.js';
import { compareOrderKeys, type OrderKey } from '../../src/domain/order-key.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import { pack, present, type RankingFactory, SEASON, type TestBoard, useRanking } from './ranking-fixture.js';

/** The emoji and the full-width letter stand in another order by bytes than by UTF-16 units; several are beginnings of others. */
const PLAYERS = ['a', 'ab', 'abc', 'b', 'B', 'é', 'Ａ', '😀', '\u200fa', '\uE000', '{a}', 'x:y', '10', '9'];

const player = fc.constantFrom(...PLAYERS);
/** Few values, so that most rows share theirs with others. */
const result = fc.record({ player, points: fc.nat(3), second: fc.nat(1) });
const step = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  results: fc.array(result, { maxLength: 4 }),
  hidden: fc.option(player, { nil: undefined, freq: 3 }),
});

type History = {
  readonly filled: readonly Result[];
  readonly steps: readonly Step[];
};
type Result = typeof result extends fc.Arbitrary<infer T> ? T : never;
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Knows of each player how often his row was read, and whether it changed its side of the cursor between two pages. */
class Witness {
  private readonly times = new Map<string, number>();
  private readonly crossed = new Set<string>();
  private sides: readonly string[] = [];

  /** Right after a page was read, whose last row is the cursor. */
  pageRead(page: readonly Entry[], rows: readonly Entry[], cursor: OrderKey | null): void {
    for (const { playerId } of page) this.times.set(playerId, (this.times.get(playerId) ?? 0) + 1);
    this.sides = sidesOf(rows, cursor);
  }

  /** Right before the next is read. */
  boardMoved(rows: readonly Entry[], cursor: OrderKey | null): void {
    for (const [index, side] of sidesOf(rows, cursor).entries()) {
      if (side !== this.sides[index]) this.crossed.add(PLAYERS[index] ?? '');
    }
  }

  /** Those of the rows that never crossed it, each with how often it was read. */
  stayed(rows: readonly Entry[]): readonly (readonly [playerId: string, times: number])[] {
    const there = rows.filter(({ playerId }) => !this.crossed.has(playerId));
    return there.map(({ playerId }) => [playerId, this.times.get(playerId) ?? 0]);
  }
}

function sidesOf(rows: readonly Entry[], cursor: OrderKey | null): readonly string[] {
  return PLAYERS.map((playerId) =>
    sideOf(
      rows.find((row) => row.playerId === playerId),
      cursor,
    ),
  );
}

function sideOf(row: Entry | undefined, cursor: OrderKey | null): string {
  if (row === undefined) return 'nowhere';
  return cursor !== null && compareOrderKeys(row, cursor) <= 0 ? 'read' : 'to be read';
}

export function describePages(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);

  it('hold each row that did not cross the cursor exactly once, and are what stands below it at the time', async () => {
    const seen = { moved: 0, stayed: 0 };
    const check = async ({ filled, steps }: History) => {
      const board = boardOf(definition);
      await board.fill();
      const submit = async (results: readonly Result[]) => {
        if (results.length === 0) return;
        await board.submit(...results.map((one) => [one.player, score(one.points, one.second)] as const));
      };
      await submit(filled);
      const witness = new Witness();
      let cursor: OrderKey | null = null;
      let rows = await board.rows();
      // However the board moves, it is read to its end.
      for (let index = 0; ; index += 1) {
        const { count, results, hidden } = steps[index] ?? LAST_STEP;
        const page: readonly Entry[] = await readPage(board, cursor, count);
        const below = rowsBelow(rows, cursor);
        expect(page).toEqual(below.slice(0, count));
        cursor = page.at(-1) ?? cursor;
        witness.pageRead(page, rows, cursor);
        if (below.length <= count) break;
        await submit(results);
        if (hidden !== undefined) await board.order('hide', hidden, [SEASON]);
        rows = await board.rows();
        witness.boardMoved(rows, cursor);
        if (results.length > 0 || hidden !== undefined) seen.moved += 1;
      }
      const stayed = witness.stayed(rows);
      expect(stayed.filter(([, times]) => times !== 1)).toEqual([]);
      seen.stayed += stayed.length;
    };
    const histories = fc.record({
      filled: fc.array(result, { minLength: 12, maxLength: 25 }),
      steps: fc.array(step, { maxLength: 8 }),
    });
    await fc.assert(fc.asyncProperty(histories, check), { numRuns: 40 });
    expect(seen.moved).toBeGreaterThan(20);
    expect(seen.stayed).toBeGreaterThan(100);
  });

  it('go on from a place where no row is, above the first and below the last', async () => {
    const board = boardOf(definition);
    await board.fill();
    await board.submit(['b', score(2, 1)], ['d', score(2, 1)]);
    const tie = score(2, 1);
    const below = async (key: OrderKey) => (await readPage(board, key, 9)).map(({ playerId }) => playerId);
    expect(await below({ score: tie, playerId: 'e' })).toEqual(['d', 'b']);
    expect(await below({ score: tie, playerId: 'd' })).toEqual(['b']);
    expect(await below({ score: tie, playerId: 'c' })).toEqual(['b']);
    expect(await below({ score: tie, playerId: 'bb' })).toEqual(['b']);
    expect(await below({ score: tie, playerId: 'b' })).toEqual([]);
    expect(await below({ score: tie, playerId: 'a' })).toEqual([]);
    expect(await below({ score: tie + 1, playerId: 'a' })).toEqual(['d', 'b']);
    expect(await below({ score: tie - 1, playerId: 'z' })).toEqual([]);
    expect(await below({ score: Number.MAX_SAFE_INTEGER, playerId: 'a' })).toEqual(['d', 'b']);
  });

  async function readPage(board: TestBoard, cursor: OrderKey | null, count: number): Promise<readonly Entry[]> {
    const list = board.ref();
    return present(
      cursor === null ? await ranking().readRange(list, 1, count) : await ranking().readBelow(list, cursor, count),
    ).rows;
  }
}

const LAST_STEP: Step = { count: 3, results: [], hidden: undefined };

function rowsBelow(rows: readonly Entry[], cursor: OrderKey | null): readonly Entry[] {
  return rows.filter((row) => cursor === null || compareOrderKeys(cursor, row) < 0);
}
