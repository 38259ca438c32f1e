import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultBoard, definitionHash, loadBoards, readBoards } from '../../src/boards.js';
import type { BoardSet } from '../../src/domain/board.js';
import { StartRefusedError } from '../../src/domain/errors.js';

const TWO_BOARDS = {
  maxLateness: '2d',
  modes: [
    { id: 'duel', points: { min: 10, max: 1000 } },
    { id: 'race', points: { max: 4000 } },
  ],
  boards: [
    { id: 'all', title: 'Everything', modes: ['duel', 'race'], topSize: 10 },
    { id: 'race', modes: ['race'], rule: 'best', order: 'high' },
  ],
  calendar: {
    grace: '15m',
    seasons: [
      { id: 12, startsAt: '2026-07-01', endsAt: '2026-10-01T02:00:00+02:00' },
      { id: '13', startsAt: '2026-10-01T00:00:00Z', endsAt: '2027-01-01' },
    ],
  },
};

type BoardsFile = typeof TWO_BOARDS;

/** The file above with a change; JSON is YAML. */
function changed(change: (file: BoardsFile) => unknown): string {
  const file = structuredClone(TWO_BOARDS);
  change(file);
  return JSON.stringify(file);
}

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
  it('is built in: one board over one mode, in one season that is open for years', () => {
    expect(loadBoards()).toEqual({
      modes: [{ mode: 'arena', points: { min: 0, max: 2_097_151 } }],
      boards: [{ boardId: 'arena', title: 'Arena', modes: ['arena'], rule: 'best', order: 'high', topSize: 100 }],
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
        { mode: 'duel', points: { min: 10, max: 1000 } },
        { mode: 'race', points: { min: 0, max: 4000 } },
      ],
      boards: [
        { boardId: 'all', title: 'Everything', modes: ['duel', 'race'], rule: 'best', order: 'high', topSize: 10 },
        { boardId: 'race', title: 'race', modes: ['race'], rule: 'best', order: 'high', topSize: 100 },
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
      'boards[0].rule: must be best: sum and latest are not there yet',
      (file) => Object.assign(file.boards[0] ?? {}, { rule: 'sum' }),
    ],
    [
      'boards[0].order: must be high: low is not there yet',
      (file) => Object.assign(file.boards[0] ?? {}, { order: 'low' }),
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
    expect(message).toContain('boards[0]: points up to 1099511627776 take 41 bits and leave 12 of 53 for time');
  });
});

describe('the definition hash', () => {
  function hashOf(text: string): string {
    const boardSet = readBoards(text);
    const [season] = boardSet.calendar.seasons;
    if (season === undefined) throw new Error('no season');
    return definitionHash(defaultBoard(boardSet), boardSet, season);
  }
  const hash = hashOf(JSON.stringify(TWO_BOARDS));

  it('is 16 hexadecimal digits', () => {
    expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each<[string, (file: BoardsFile) => unknown]>([
    ['the title', (file) => Object.assign(file.boards[0] ?? {}, { title: 'Other' })],
    ['the size of the top', (file) => Object.assign(file.boards[0] ?? {}, { topSize: 50 })],
    ['the order in which modes are named', (file) => file.boards[0]?.modes.reverse()],
    ['the order in which modes are declared', (file) => file.modes.reverse()],
    ['other boards', (file) => file.boards.pop()],
    ['other seasons', (file) => file.calendar.seasons.pop()],
  ])('does not depend on %s', (_, change) => {
    expect(hashOf(changed(change))).toBe(hash);
  });

  it.each<[string, (file: BoardsFile) => unknown]>([
    ['the range of points', (file) => Object.assign(file.modes[1]?.points ?? {}, { max: 4001 })],
    ['the modes', (file) => file.boards[0]?.modes.pop()],
    ['the start of the season', (file) => Object.assign(file.calendar.seasons[0] ?? {}, { startsAt: '2026-06-30' })],
    ['the end of the season', (file) => Object.assign(file.calendar.seasons[0] ?? {}, { endsAt: '2026-09-30' })],
  ])('depends on %s', (_, change) => {
    expect(hashOf(changed(change))).not.toBe(hash);
  });
});
