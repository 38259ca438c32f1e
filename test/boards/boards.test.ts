import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultBoard, loadBoards, readBoards } from '../../src/boards.js';
import type { BoardSet, SortKey } from '../../src/domain/board.js';
import { StartRefusedError } from '../../src/domain/errors.js';
import { type BoardsFile, changed, TWO_BOARDS } from './boards-fixture.js';

function refusal(text: string): string {
  try {
    readBoards(text);
  } catch (error) {
    expect(error).toBeInstanceOf(StartRefusedError);
    return (error as StartRefusedError).message;
  }
  throw new Error('it was not refused');
}

describe('the boards file', () => {
  const keys: readonly SortKey[] = [{ field: 'points', order: 'high' }];
  const lists = { subject: 'player', periods: [], zone: 'UTC', scopes: [] } as const;
  const defaults = { rule: 'best', keys, maxTotal: null, ...lists, topSize: 100, tiers: null } as const;

  it('is built in: one board over one mode, in one season that is open for years', () => {
    expect(loadBoards()).toEqual({
      modes: [{ mode: 'arena', fields: { points: { min: 0, max: 2_097_151 } } }],
      boards: [{ ...defaults, boardId: 'arena', title: 'Arena', modes: ['arena'] }],
      calendar: {
        seasons: [{ seasonId: '1', startsAt: Date.UTC(2026, 0), endsAt: Date.UTC(2031, 0) }],
        graceMs: 3_600_000,
      },
      maxLatenessMs: 7 * 86_400_000,
    } satisfies BoardSet);
  });

  it('is read as JSON, with defaults, numbers as season ids, dates and offsets', () => {
    expect(readBoards(JSON.stringify(TWO_BOARDS))).toEqual({
      modes: [
        { mode: 'duel', fields: { points: { min: 10, max: 1000 } } },
        { mode: 'race', fields: { points: { min: 0, max: 4000 } } },
      ],
      boards: [
        { ...defaults, boardId: 'all', title: 'Everything', modes: ['duel', 'race'], topSize: 10 },
        { ...defaults, boardId: 'race', title: 'race', modes: ['race'] },
      ],
      calendar: {
        seasons: [
          { seasonId: '12', startsAt: Date.UTC(2026, 6), endsAt: Date.UTC(2026, 9) },
          { seasonId: '13', startsAt: Date.UTC(2026, 9), endsAt: Date.UTC(2027, 0) },
        ],
        graceMs: 900_000,
      },
      maxLatenessMs: 2 * 86_400_000,
    } satisfies BoardSet);
  });

  it('is read as YAML from a file, whose name stands in errors', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rankcast-boards-'));
    try {
      const file = join(folder, 'boards.yaml');
      writeFileSync(file, 'modes: [{ id: a, points: { max: 9 } }]\nboards: []\n');
      expect(() => loadBoards(file)).toThrow(`boards file ${file} is wrong: boards: must declare at least one board`);
      expect(() => loadBoards(join(folder, 'none.yaml'))).toThrow(/none\.yaml cannot be read/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is shown in the README as it can be used', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, text = ''] = /test\/boards\/boards\.test\.ts[^`]*```yaml\n([^`]*)```/.exec(readme) ?? [];
    expect(readBoards(text).boards).toEqual([
      { ...defaults, boardId: 'fastest', title: 'fastest', modes: ['run'], keys: [{ field: 'points', order: 'low' }] },
      {
        ...defaults,
        boardId: 'form',
        title: 'form',
        modes: ['league'],
        rule: 'latest',
        keys: [
          { field: 'winRate', order: 'high' },
          { field: 'deaths', order: 'low' },
        ],
      },
    ]);
  });

  it('has its first board as the default one', () => {
    expect(defaultBoard(readBoards(JSON.stringify(TWO_BOARDS))).boardId).toBe('all');
  });
});

describe('a wrong boards file is refused', () => {
  it.each([
    ['a: [', 'neither YAML nor JSON'],
    ['a: 1\na: 2', 'neither YAML nor JSON: Map keys must be unique at line 2'],
    ['', 'at the top: must be an object with modes, boards and calendar'],
    ['[]', 'at the top: must be an object with modes, boards and calendar'],
    ['modes: []', 'boards: is missing'],
  ])('that reads %j', (text, sentence) => {
    expect(refusal(text)).toContain(sentence);
  });

  it.each<[string, (file: BoardsFile) => unknown]>([
    [
      'at the top: bords is not a key of this version (did you mean boards?)',
      (file) => Object.assign(file, { bords: 1 }),
    ],
    [
      'boards[0]: topsize is not a key of this version (did you mean topSize?)',
      (file) => Object.assign(file.boards[0] ?? {}, { topsize: 1 }),
    ],
    ['modes[0].id: must be a name of 1 to 32', (file) => Object.assign(file.modes[0] ?? {}, { id: 'Duel' })],
    ['modes[1].id: duel is there already', (file) => Object.assign(file.modes[1] ?? {}, { id: 'duel' })],
    ['modes[0].points.min: must be a whole number', (file) => Object.assign(file.modes[0]?.points ?? {}, { min: -1 })],
    ['modes[0].points.max: must be a whole number', (file) => Object.assign(file.modes[0]?.points ?? {}, { max: 1.5 })],
    ['modes[0].points: min 10 is above max 9', (file) => Object.assign(file.modes[0]?.points ?? {}, { max: 9 })],
    ['boards[1].id: all is there already', (file) => Object.assign(file.boards[1] ?? {}, { id: 'all' })],
    [
      'boards[0].modes[1]: mode rade is not declared under modes (did you mean race?)',
      (file) => Object.assign(file.boards[0] ?? {}, { modes: ['duel', 'rade'] }),
    ],
    [
      'boards[0].modes[1]: duel is named twice',
      (file) => Object.assign(file.boards[0] ?? {}, { modes: ['duel', 'duel'] }),
    ],
    [
      'boards[0].topSize: must be a whole number from 1 to 1000',
      (file) => Object.assign(file.boards[0] ?? {}, { topSize: 0 }),
    ],
    ['maxLateness: must be a duration such as', (file) => Object.assign(file, { maxLateness: 5 })],
    ['calendar.grace: must be a duration such as', (file) => Object.assign(file.calendar, { grace: '1 h' })],
    ['calendar.seasons: must have at least one season', (file) => Object.assign(file.calendar, { seasons: [] })],
    [
      'calendar.seasons[0].startsAt: must be a date (midnight UTC) or an ISO 8601 time with offset',
      (file) => Object.assign(file.calendar.seasons[0] ?? {}, { startsAt: '2026-02-30' }),
    ],
    [
      'calendar.seasons[0]: endsAt must be later than startsAt',
      (file) => Object.assign(file.calendar.seasons[0] ?? {}, { endsAt: '2026-07-01' }),
    ],
    [
      'calendar.seasons[1].id: 12 is there already',
      (file) => Object.assign(file.calendar.seasons[1] ?? {}, { id: '12' }),
    ],
    [
      'calendar.seasons[1]: starts before season 12 ends',
      (file) => Object.assign(file.calendar.seasons[1] ?? {}, { startsAt: '2026-09-30T23:59:59Z' }),
    ],
    ['calendar.seasons[1]: starts before season 13 ends', (file) => file.calendar.seasons.reverse()],
  ])('with: %s', (sentence, change) => {
    expect(refusal(changed(change))).toContain(sentence);
  });

  it('with the bit budget where points and time do not fit one score', () => {
    const message = refusal(changed((file) => Object.assign(file.modes[1]?.points ?? {}, { max: 2 ** 40 })));
    expect(message).toContain('boards[0]: 53 bits are not enough (points up to 1099511627776: 41, left for time: 12)');
  });
});
