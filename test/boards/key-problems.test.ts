/** What a file may say about fields, rules and keys; the rest of it is in boards.test.ts. */

import { describe, expect, it } from 'vitest';
import { toBoardSet } from '../../src/boards/board-set.js';
import { findProblems, findTightBoards } from '../../src/boards/boards-problems.js';
import { boardsFileSchema } from '../../src/boards/boards-schema.js';
import { readBoards } from '../../src/boards.js';
import { fileWith, MODES } from './keys-fixture.js';

const key = (field: string) => ({ field });
const keys = (...fields: string[]) => ({ keys: fields.map(key) });
const sumOf = (board: object) => ({ rule: 'sum', modes: ['duel'], ...board });

function refusal(text: string): string {
  try {
    readBoards(text);
  } catch (error) {
    return String(error);
  }
  throw new Error('it was not refused');
}

/** Problems of a file that is right by itself. */
function problemsWith(board: object): string[] {
  return findProblems(boardsFileSchema.parse(JSON.parse(fileWith(board))));
}

describe('fields of a mode', () => {
  const modeWith = (mode: object) => fileWith({ modes: ['duel'] }, [{ id: 'duel', ...mode }]);
  const range = { max: 9 };

  it('may be eight, and named as the game names them', () => {
    const names = ['a', 'Z9', 'winRate', 'constructor', 'fields', 'keys', 'points', 'x'.repeat(32)];
    const fields = Object.fromEntries(names.map((name) => [name, range]));
    const [mode] = readBoards(modeWith({ fields })).modes;
    expect(mode?.fields).toEqual(Object.fromEntries(names.map((name) => [name, { min: 0, max: 9 }])));
    expect(Object.keys(mode?.fields ?? {})).toEqual(names);
    expect(refusal(modeWith({ fields: { ...fields, ninth: range } }))).toContain(
      'modes[0].fields: must be an object of 1 to 8 fields',
    );
  });

  it.each([
    ['modes[0]: must have points, or fields where it has several', {}],
    ['modes[0]: has points and fields: only one of them can be', { points: range, fields: { kills: range } }],
    ['modes[0].fields: must be an object of 1 to 8 fields', { fields: {} }],
    ['modes[0].fields: must be an object of 1 to 8 fields', { fields: ['kills'] }],
    ['modes[0].fields.win-rate: must be a name of 1 to 32 letters and digits', { fields: { 'win-rate': range } }],
    ['modes[0].fields.9: must be a name of 1 to 32 letters and digits', { fields: { 9: range } }],
    [`modes[0].fields.${'x'.repeat(33)}: must be a name`, { fields: { ['x'.repeat(33)]: range } }],
    ['modes[0].fields.kills.max: is missing', { fields: { kills: { min: 1 } } }],
    ['modes[0].fields.kills.min: must be a whole number', { fields: { kills: { min: -1, max: 9 } } }],
    ['modes[0].fields.kills: min 10 is above max 9', { fields: { kills: { min: 10, max: 9 } } }],
    [
      'modes[0].fields.kills: mx is not a key of this version (did you mean max?)',
      { fields: { kills: { mx: 9, max: 9 } } },
    ],
  ])('are refused with: %s', (sentence, mode) => {
    expect(refusal(modeWith(mode))).toContain(sentence);
  });
});

describe('keys of a board', () => {
  it('are written out, high first where nothing is said', () => {
    const board = { rule: 'latest', keys: [{ field: 'winRate' }, { field: 'deaths', order: 'low' }] };
    expect(readBoards(fileWith(board)).boards[0]).toMatchObject({
      rule: 'latest',
      keys: [
        { field: 'winRate', order: 'high' },
        { field: 'deaths', order: 'low' },
      ],
      maxTotal: null,
    });
  });

  it.each(['high', 'low'])('are by default the first field of the modes, %s first', (order) => {
    expect(readBoards(fileWith({ order })).boards[0]?.keys).toEqual([{ field: 'kills', order }]);
  });

  it('are refused in place of others where the modes begin with different fields', () => {
    const race = { id: 'siege', fields: { seconds: { max: 900 }, kills: { max: 500 } } };
    expect(refusal(fileWith({}, [...MODES.slice(0, 1), race]))).toContain(
      'boards[0]: mode duel begins with kills and mode siege with seconds: give keys to say what orders the board',
    );
  });

  it.each<[string, object]>([
    ['boards[0].keys: must be a list of 1 to 4 keys', keys()],
    ['boards[0].keys: must be a list of 1 to 4 keys', { keys: key('kills') }],
    ['boards[0].keys: must be a list of 1 to 4 keys', keys('a', 'b', 'c', 'd', 'e')],
    ['boards[0].keys[0].field: winrate is not a field of mode duel (did you mean winRate?)', keys('winrate')],
    ['boards[0].keys[0].field: constructor is not a field of mode duel', keys('constructor')],
    ['boards[0].keys[1].field: kills is named twice', keys('kills', 'kills')],
    ['boards[0].keys[0].field: must be a name of 1 to 32 letters and digits', keys('win-rate')],
    ['boards[0].keys[0].field: is missing', { keys: [{ order: 'low' }] }],
    ['boards[0].keys[0].order: must be high or low', { keys: [{ field: 'kills', order: 'asc' }] }],
    [
      'boards[0].keys[0]: ordr is not a key of this version (did you mean order?)',
      { keys: [{ field: 'kills', ordr: 1 }] },
    ],
    ['boards[0].order: must be high or low', { order: 'asc' }],
    ['boards[0].order: is for boards without keys: say it with each key', { ...keys('kills'), order: 'low' }],
    ['boards[0].rule: must be best, latest or sum', { rule: 'last' }],
  ])('are refused with: %s', (sentence, board) => {
    expect(refusal(fileWith(board))).toContain(sentence);
  });

  it('are refused where only one mode of the board lacks the field', () => {
    const modes = [
      { id: 'duel', fields: { kills: { max: 9 }, deaths: { max: 9 } } },
      { id: 'siege', points: { max: 9 } },
    ];
    expect(refusal(fileWith(keys('deaths'), modes))).toContain(
      'boards[0].keys[0].field: deaths is not a field of mode siege (did you mean points?)',
    );
    expect(readBoards(fileWith({ ...keys('deaths'), modes: ['duel'] }, modes)).boards).toHaveLength(1);
  });

  it('are no problem of their own where the mode is not declared', () => {
    expect(problemsWith({ ...keys('kills'), modes: ['duel', 'seige'] })).toEqual([
      'boards[0].modes[1]: mode seige is not declared under modes (did you mean siege?)',
    ]);
  });

  it('are refused with the bit budget where they do not fit beside the time', () => {
    const fields = { kills: { max: 2 ** 20 }, deaths: { max: 2 ** 20 - 1 } };
    expect(refusal(fileWith({ ...keys('kills', 'deaths'), modes: ['duel'] }, [{ id: 'duel', fields }]))).toContain(
      'boards[0]: 53 bits are not enough (kills up to 1048576: 21, deaths up to 1048575: 20, left for time: 12): ' +
        'season 1 needs 18 for time even in minutes; lower a max, drop a key or shorten the season',
    );
  });
});

describe('the total of rule sum', () => {
  it('goes into the board', () => {
    const [board] = readBoards(fileWith(sumOf({ maxTotal: 1_000_000 }))).boards;
    expect([board?.rule, board?.maxTotal]).toEqual(['sum', 1_000_000]);
  });

  it.each<[string, object]>([
    ['boards[0].maxTotal: is missing: rule sum must know where a total stops', sumOf({})],
    ['boards[0].keys: rule sum takes one key, not 2', sumOf({ ...keys('kills', 'deaths'), maxTotal: 1_000 })],
    ['boards[0].maxTotal: 99 is less than the 100 of a single result of mode duel', sumOf({ maxTotal: 99 })],
    [
      'boards[0].maxTotal: 999 is less than the 1000 of a single result of mode duel',
      sumOf({ ...keys('winRate'), maxTotal: 999 }),
    ],
  ])('is refused with: %s', (sentence, board) => {
    expect(problemsWith(board)).toEqual([sentence]);
  });

  it('may be as small as the largest result', () => {
    expect(problemsWith(sumOf({ maxTotal: 100 }))).toEqual([]);
  });

  it.each(['best', 'latest'])('is refused for rule %s', (rule) => {
    expect(problemsWith({ rule, maxTotal: 1_000 })).toEqual([`boards[0].maxTotal: is for rule sum, not for ${rule}`]);
  });

  it.each([0, 1.5, 2 ** 53])('is refused where it is %d, which is no whole number in range', (maxTotal) => {
    expect(refusal(fileWith(sumOf({ maxTotal })))).toContain(
      'boards[0].maxTotal: must be a whole number from 1 to 9007199254740991',
    );
  });

  it('is what the packed score must have room for, not the largest result', () => {
    const boardSet = (maxTotal: number) =>
      toBoardSet(boardsFileSchema.parse(JSON.parse(fileWith(sumOf({ maxTotal, order: 'low' })))));
    expect(boardSet(1_000_000).boards[0]).toMatchObject({
      rule: 'sum',
      keys: [{ field: 'kills', order: 'low' }],
      maxTotal: 1_000_000,
    });
    expect(findTightBoards(boardSet(2 ** 35 - 1))).toEqual([]);
    expect(findTightBoards(boardSet(2 ** 35))).toEqual([
      expect.stringContaining('boards[0]: 53 bits are not enough (kills up to 34359738368: 36, left for time: 17)'),
    ]);
  });
});
