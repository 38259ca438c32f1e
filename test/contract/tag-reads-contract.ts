/** Contract tests of the reads over all lists of a tag: scores of rows anywhere, and which lists there are. */

import { expect, it, vi } from 'vitest';
import type { TagList } from '../../src/domain/lists.js';
import { type ListScan, MAX_FILL_CHUNK, MAX_READ_PLAYERS, type Ranking } from '../../src/ranking/ranking.js';
import {
  DAY,
  entryIn,
  GUILD,
  pack,
  present,
  type RankingFactory,
  SEASON,
  TestBoard,
  useRanking,
} from './ranking-fixture.js';

/** Two calls of a scan, at least, where it counts lists in parts. */
const GUILDS = MAX_FILL_CHUNK;

export function describeTagReads(factory: RankingFactory): void {
  const { ranking } = useRanking(factory);

  async function filled(): Promise<TestBoard> {
    const board = new TestBoard(ranking());
    await board.fill([entryIn(SEASON, 'amy', pack(10, 5)), entryIn(SEASON, 'bob', pack(20, 5))]);
    await board.submitIn([SEASON, DAY, GUILD], ['amy', pack(30, 6)]);
    return board;
  }

  function readScores({ tag, definition }: TestBoard, ...rows: readonly (readonly [list: string, player: string])[]) {
    const asked = rows.map(([list, playerId]) => ({ list, playerId }));
    return ranking().readScores(tag, definition.hash, asked);
  }

  it('reads scores of any lists in the order asked, absent and repeated rows included', async () => {
    const board = await filled();
    const asked = [
      [DAY.name, 'amy'],
      [DAY.name, 'bob'],
      [SEASON.name, 'bob'],
      ['s:guild:1', 'amy'],
      [SEASON.name, '😀'],
      [DAY.name, 'amy'],
    ] as const;
    const [inDay, inSeason] = [pack(30, 6), pack(20, 5)];
    expect(await readScores(board, ...asked)).toEqual([inDay, null, inSeason, null, null, inDay]);
    expect(await readScores(board)).toEqual([]);
  });

  it('reads scores to their last bit', async () => {
    const board = new TestBoard(ranking());
    await board.fill([entryIn(SEASON, 'amy', 2 ** 53 - 1), entryIn(SEASON, 'bob', 0)]);
    expect(await readScores(board, [SEASON.name, 'amy'], [SEASON.name, 'bob'])).toEqual([2 ** 53 - 1, 0]);
  });

  it('refuses to read more scores than one call may ask', async () => {
    const board = await filled();
    const rows = Array.from({ length: MAX_READ_PLAYERS + 1 }, () => [SEASON.name, 'amy'] as const);
    await expect(readScores(board, ...rows)).rejects.toThrow(`${MAX_READ_PLAYERS + 1} rows`);
  });

  it('scans every list that ranks somebody, with how many', async () => {
    const board = await filled();
    expect(await scanAll(ranking(), board)).toEqual({ s: 2, [DAY.name]: 1, [GUILD.name]: 1 });
    await board.order('hide', 'amy', [SEASON, DAY, GUILD]);
    expect(await scanAll(ranking(), board)).toEqual({ s: 1 });
  });

  it('scans more lists than one call counts', async () => {
    const board = new TestBoard(ranking());
    const guilds = Array.from({ length: GUILDS }, (_, index) => ({ ...GUILD, name: `s:guild:${index}` }));
    await board.fill(guilds.map((list, index) => entryIn(list, `p${index}`, 7)));
    await board.submitIn([SEASON, GUILD], ['amy', pack(30, 6)]);
    const expected = Object.fromEntries(guilds.map(({ name }) => [name, 1]));
    expect(await scanAll(ranking(), board)).toEqual({ ...expected, s: 1, [GUILD.name]: 2 });
  });

  it('scans an empty board as a board', async () => {
    const board = new TestBoard(ranking());
    await board.fill();
    expect(await scanAll(ranking(), board)).toEqual({});
  });

  it('reads what is shown, and not what is filled beside it', async () => {
    const board = await filled();
    const other: TagList = { name: 's:guild:other', keptUntil: null };
    await board.begin({ jobId: 'job', replace: true });
    await board.load('job', 0, [entryIn(other, 'amy', 1), entryIn(SEASON, 'cat', 1)]);
    expect(await scanAll(ranking(), board)).toEqual({ s: 2, [DAY.name]: 1, [GUILD.name]: 1 });
    expect(await readScores(board, [other.name, 'amy'], [SEASON.name, 'cat'])).toEqual([null, null]);
    expect(await board.finish('job', 1)).toBe('finished');
    expect(await scanAll(ranking(), board)).toEqual({ s: 1, [other.name]: 1 });
    expect(await readScores(board, [other.name, 'amy'], [SEASON.name, 'cat'])).toEqual([1, 1]);
  });

  it('reads nothing of a list past its end', async () => {
    const board = await filled();
    const brief: TagList = { name: 'd:2026-10-11', keptUntil: Date.now() + 1_000 };
    await board.submitIn([SEASON, brief], ['bob', pack(40, 6)]);
    expect(await scanAll(ranking(), board)).toMatchObject({ [brief.name]: 1 });
    const isGone = async () => expect(await readScores(board, [brief.name, 'bob'])).toEqual([null]);
    await vi.waitFor(isGone, { timeout: 5_000, interval: 20 });
    expect(await scanAll(ranking(), board)).toEqual({ s: 2, [DAY.name]: 1, [GUILD.name]: 1 });
  });

  it('answers null where there is no finished board of the definition', async () => {
    const missing = new TestBoard(ranking());
    const { tag, definition } = missing;
    expect([await readScores(missing), await ranking().scanLists(tag, definition.hash, '0')]).toEqual([null, null]);
    const board = await filled();
    const row = { list: SEASON.name, playerId: 'amy' };
    expect(await ranking().readScores(board.tag, 'another', [row])).toBeNull();
    expect(await ranking().scanLists(board.tag, 'another', '0')).toBeNull();
  });
}

/** How many each list ranks, over all calls of one scan. */
async function scanAll(ranking: Ranking, { tag, definition }: TestBoard): Promise<Readonly<Record<string, number>>> {
  const totals: Record<string, number> = {};
  let cursor: string | null = '0';
  while (cursor !== null) {
    const scan: ListScan = present(await ranking.scanLists(tag, definition.hash, cursor));
    for (const { name, total } of scan.lists) totals[name] = total;
    cursor = scan.cursor;
  }
  return totals;
}
