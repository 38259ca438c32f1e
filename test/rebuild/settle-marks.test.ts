import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { Position } from '../../src/domain/log-record.js';
import type { FoldedEntry, Mark } from '../../src/domain/marks.js';
import type { Tag } from '../../src/domain/tag.js';
import { MarkSettler } from '../../src/rebuild/settle-marks.js';
import { boardSeasonOf, SEASON_LISTS } from '../support/definitions.js';

const SOURCE = 'kafka:match-results';
const ARENA = boardSeasonOf();
const DUEL = boardSeasonOf({ boardId: 'duel' });
const FOLDED: readonly FoldedEntry[] = SEASON_LISTS.map((list) => ({ list, score: 100 }));

/** Marks and folds that a test holds in its hands. */
class Stores {
  readonly marked = new Map<string, Mark[]>();
  readonly settled: (readonly [boardId: string, playerId: string, folded: readonly FoldedEntry[]])[] = [];
  /** Under which both tags are written. */
  definitionHash = ARENA.definition.hash;
  truthNext = 0;
  isTruthAway = false;
  readonly folded: { playerId: string; below: readonly Position[] }[] = [];
  /** Runs before each fold answers. */
  duringFold: (playerId: string) => void | Promise<void> = () => {};

  /** Runs before each read of marks. */
  duringMarks: (tag: Tag) => void = () => {};

  mark({ tag }: BoardSeason, playerId: string, next: number, markId = `${playerId}-1`): void {
    const others = (this.marked.get(tag.boardId) ?? []).filter((mark) => mark.playerId !== playerId);
    const positions = [{ source: SOURCE, partition: 0, next }];
    this.marked.set(tag.boardId, [...others, { playerId, markId, lists: [], positions }]);
  }

  settler(logger = pino({ level: 'silent' })): MarkSettler {
    return new MarkSettler({
      ranking: {
        marks: async (tag) => {
          this.duringMarks(tag);
          return this.marked.get(tag.boardId) ?? [];
        },
        state: async () => ({ writtenHash: this.definitionHash, positions: [] }),
        settle: async (tag, _, mark, folded) => {
          const marks = this.marked.get(tag.boardId) ?? [];
          if (!marks.some(({ markId }) => markId === mark.markId)) return 'superseded';
          this.marked.set(
            tag.boardId,
            marks.filter(({ markId }) => markId !== mark.markId),
          );
          this.settled.push([tag.boardId, mark.playerId, folded]);
          return 'settled';
        },
      },
      truth: {
        positions: async () => {
          if (this.isTruthAway) throw new StoreUnavailableError('truth is away');
          return [{ source: SOURCE, partition: 0, next: this.truthNext }];
        },
        fold: async (_, playerId, below) => {
          this.folded.push({ playerId, below });
          await this.duringFold(playerId);
          return playerId === 'nobody' ? [] : FOLDED;
        },
      },
      scopes: () => [ARENA, DUEL],
      logger,
    });
  }
}

afterEach(() => {
  vi.useRealTimers();
});

it('settles a mark when truth has reached its positions, and not before', async () => {
  const stores = new Stores();
  stores.mark(ARENA, 'a', 7);
  stores.mark(DUEL, 'nobody', 3);
  const settler = stores.settler();
  stores.truthNext = 2;
  expect(await settler.settleAll()).toBe(0);
  stores.truthNext = 6;
  expect(await settler.settleAll()).toBe(1);
  expect(stores.settled).toEqual([['duel', 'nobody', []]]);
  stores.truthNext = 7;
  expect(await settler.settleAll()).toBe(1);
  expect(stores.settled[1]).toEqual(['arena', 'a', FOLDED]);
});

it('folds below the positions of the mark, however far truth is', async () => {
  const stores = new Stores();
  stores.mark(ARENA, 'a', 7);
  stores.truthNext = 1_000;
  await stores.settler().settleAll();
  expect(stores.folded).toEqual([{ playerId: 'a', below: [{ source: SOURCE, partition: 0, next: 7 }] }]);
});

it('leaves alone what was marked under another definition, where its scores mean nothing', async () => {
  const stores = new Stores();
  stores.mark(ARENA, 'a', 0);
  stores.definitionHash = 'other';
  expect(await stores.settler().settleAll()).toBe(0);
  expect([stores.folded, stores.settled]).toEqual([[], []]);
});

it('leaves a mark that was renewed during the fold to the next look', async () => {
  const stores = new Stores();
  stores.mark(ARENA, 'a', 5);
  stores.truthNext = 5;
  stores.duringFold = () => stores.mark(ARENA, 'a', 6, 'a-2');
  const settler = stores.settler();
  expect(await settler.settleAll()).toBe(0);
  stores.duringFold = () => {};
  stores.truthNext = 6;
  expect(await settler.settleAll()).toBe(1);
  expect(stores.folded.map(({ below }) => below[0]?.next)).toEqual([5, 6]);
});

it('goes on by itself after a store was away, and says so once', async () => {
  vi.useFakeTimers();
  const stores = new Stores();
  const lines: string[] = [];
  let isAway = true;
  stores.duringFold = () => {
    if (isAway) throw new Error('the database is away');
  };
  stores.mark(ARENA, 'a', 0);
  const settler = stores.settler(pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }));
  settler.start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(stores.settled).toEqual([]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stores.settled).toEqual([['arena', 'a', FOLDED]]);
  expect(lines).toHaveLength(1);
  await settler.close();
});

it('lets folds that always fail hold up neither other players nor other boards, and says so once', async () => {
  const stores = new Stores();
  const lines: string[] = [];
  // The newest are folded first.
  for (const playerId of ['small', 'big1', 'big2', 'big3', 'big4']) stores.mark(ARENA, playerId, 0);
  stores.mark(DUEL, 'other', 0);
  stores.duringFold = (playerId) => {
    if (playerId.startsWith('big')) throw new StoreUnavailableError('canceling statement due to statement timeout');
  };
  const settler = stores.settler(pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }));
  for (let look = 0; look < 3; look++) await settler.settleAll();
  expect(stores.settled.map(([boardId, playerId]) => [boardId, playerId])).toEqual([
    ['arena', 'small'],
    ['duel', 'other'],
  ]);
  // What failed waits for its time to come again.
  expect(stores.folded).toHaveLength(6);
  expect(lines).toHaveLength(1);
});

it('fails as a whole, with few folds, where truth goes away in the middle of a look', async () => {
  const stores = new Stores();
  for (let i = 0; i < 20; i++) stores.mark(ARENA, `p${i}`, 0);
  stores.duringFold = () => {
    stores.isTruthAway = true;
    throw new StoreUnavailableError('no answer');
  };
  await expect(stores.settler().settleAll()).rejects.toThrow('truth is away');
  expect(stores.folded).toHaveLength(4);
});

it('settles the marks of other boards where one board fails as a whole', async () => {
  const stores = new Stores();
  stores.mark(DUEL, 'other', 0);
  stores.duringMarks = ({ boardId }) => {
    if (boardId === 'arena') throw new StoreUnavailableError('the marks cannot be read');
  };
  await expect(stores.settler().settleAll()).rejects.toThrow('the marks cannot be read');
  expect(stores.settled).toEqual([['duel', 'other', FOLDED]]);
});

it('ends with the fold that is under way', async () => {
  const stores = new Stores();
  for (let i = 0; i < 20; i++) stores.mark(ARENA, `p${i}`, 0);
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  stores.duringFold = () => held;
  const settler = stores.settler();
  settler.start();
  await vi.waitFor(() => expect(stores.folded.length).toBeGreaterThan(0));
  const closing = settler.close();
  goOn();
  await closing;
  expect(stores.settled.length).toBe(stores.folded.length);
  expect(stores.settled.length).toBeLessThan(20);
});
