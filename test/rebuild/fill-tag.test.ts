import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardSeason, listRef } from '../../src/domain/board-season.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_FILL_CHUNK } from '../../src/ranking/ranking.js';
import { type FillTagOptions, fillTag } from '../../src/rebuild/fill-tag.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { type Boards, History, readBoards, SOURCE } from './history.js';

const START = Date.parse('2026-04-01T00:00:00Z');
const BOARD = boardSeasonOf();
const { tag } = BOARD;
const PLAYERS = 2_500;

let database: TruthDatabase;
let ranking: MemoryRanking;
let history: History;
let options: FillTagOptions;
beforeEach(async () => {
  database = await createTruthDatabase();
  // Born before the first match, so that rule sum takes none of them for a copy that it may have forgotten.
  ranking = new MemoryRanking({ now: () => START - 86_400_000 });
  history = new History(START, PLAYERS);
  options = { target: ranking, truth: new TruthSnapshots(database.pool), logger: silent, maxFillChunk: MAX_FILL_CHUNK };
});
afterEach(async () => {
  await ranking.close();
  await database.drop();
});

function read(scope: BoardSeason = BOARD): Promise<Boards | null> {
  return readBoards(ranking, scope, ['s']);
}

/** The ranking, but for some of its steps. */
function targetWith(steps: Partial<FillTagOptions['target']>): FillTagOptions['target'] {
  return {
    state: (...call) => ranking.state(...call),
    begin: (...call) => ranking.begin(...call),
    load: (...call) => ranking.load(...call),
    finish: (...call) => ranking.finish(...call),
    abandon: (...call) => ranking.abandon(...call),
    sweep: () => ranking.sweep(),
    ...steps,
  };
}

describe('filling a tag', () => {
  it('makes an empty board of an empty database', async () => {
    expect(await fillTag(BOARD, options)).toEqual({ kind: 'filled', entries: 0 });
    expect(await ranking.readRange(listRef(BOARD), 1, 10)).toMatchObject({ total: 0, rows: [] });
  });

  it('brings the fold of every player and the positions of the same moment', async () => {
    await history.store(database, 0, 4_000);
    expect(await fillTag(BOARD, options)).toEqual({ kind: 'filled', entries: PLAYERS });
    expect(await read()).toEqual(history.boards(BOARD, 4_000));
    expect((await ranking.state(tag))?.positions).toEqual([{ source: SOURCE, partition: 0, next: 4_000 }]);
    expect(await fillTag(BOARD, options)).toEqual({ kind: 'exists' });
  });

  it.each([
    ['best', null],
    ['latest', null],
    ['sum', 2_000_000],
  ] as const)('ends the same when live results arrive between its chunks (%s)', async (rule, maxTotal) => {
    const scope = boardSeasonOf({ rule, maxTotal });
    await history.store(database, 0, 4_000);
    history.goLive(4_000);
    const target = targetWith({
      load: async (...call) => {
        expect(await history.play(ranking, scope, 200)).toBe('done');
        return ranking.load(...call);
      },
    });
    await fillTag(scope, { ...options, target });
    expect(history.live).toBe(4_600);
    await history.play(ranking, scope, 100);
    expect(await read(scope)).toEqual(history.boards(scope, 4_700));
  });

  it('is done by one of several processes, and the others wait for it', async () => {
    await history.store(database, 0, 3_000);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => fillTag(BOARD, { ...options, truth: new TruthSnapshots(database.newPool()) })),
    );
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['exists', 'exists', 'filled']);
    expect(await read()).toEqual(history.boards(BOARD, 3_000));
  });

  it('leaves the tag without a board when it dies, and the next try begins anew', async () => {
    await history.store(database, 0, 3_000);
    const target = targetWith({
      load: async (...call) => {
        if (call[2] === 1) throw new Error('killed');
        return ranking.load(...call);
      },
      abandon: () => Promise.reject(new Error('dead')),
    });
    await expect(fillTag(BOARD, { ...options, target })).rejects.toThrow('killed');
    expect(await read()).toBeNull();
    expect(await fillTag(BOARD, options)).toMatchObject({ kind: 'filled' });
    expect(await read()).toEqual(history.boards(BOARD, 3_000));
  });

  it('gives up when another fill took over, and leaves that one alone', async () => {
    await history.store(database, 0, 3_000);
    const rival = { jobId: 'rival', positions: [], hidden: [] };
    const target = targetWith({
      load: async (tag, jobId, index, entries) => {
        if (index === 1) await ranking.begin(tag, BOARD.definition, rival);
        return ranking.load(tag, jobId, index, entries);
      },
    });
    await expect(fillTag(BOARD, { ...options, target })).rejects.toMatchObject({ isRetryable: true });
    expect(await ranking.finish(tag, 'rival', 0, { entries: 0, checksum: 0 })).toBe('finished');
  });

  it('leaves a board of another definition to a person, and names the command that replaces it', async () => {
    await fillTag(BOARD, options);
    const changed = boardSeasonOf({ rule: 'latest' });
    const command = 'npx rankcast rebuild --board arena --season 1';
    await expect(fillTag(changed, options)).rejects.toMatchObject({
      isRetryable: false,
      message: expect.stringContaining(command),
    });
    expect(await read()).toEqual({ s: {} });
  });
});
