import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListShape, TagLists } from '../../src/domain/lists.js';
import { periodWindows } from '../../src/domain/periods.js';

const DAY_MS = 86_400_000;
const AT = Date.parse('2026-10-14T18:00:00Z');
const season = { seasonId: '12', startsAt: Date.UTC(2026, 9, 1), endsAt: Date.UTC(2026, 10, 1) };
const days = periodWindows('day', 'UTC', season);
const weeks = periodWindows('week', 'UTC', season);

const PLAIN: ListShape = { subject: 'player', scopes: [], days: [], weeks: [] };

function listsOf(shape: Partial<ListShape> = {}): TagLists {
  return new TagLists({ ...PLAIN, ...shape });
}

function namesOf(lists: readonly { readonly name: string }[]): string[] {
  return lists.map(({ name }) => name);
}

describe('a result counts', () => {
  it('in the season alone where the board has nothing else', () => {
    expect(listsOf().listsOf({ achievedAt: AT, scopes: { guild: '77' } })).toEqual([{ name: 's', keptUntil: null }]);
  });

  it('in its day and week, which are kept for three days and three weeks after their ends', () => {
    expect(listsOf({ days, weeks }).listsOf({ achievedAt: AT, scopes: {} })).toEqual([
      { name: 's', keptUntil: null },
      { name: 'd:2026-10-14', keptUntil: Date.parse('2026-10-18T00:00:00Z') },
      { name: 'w:2026-W42', keptUntil: Date.parse('2026-11-09T00:00:00Z') },
    ]);
    expect(namesOf(listsOf({ weeks }).listsOf({ achievedAt: AT, scopes: {} }))).toEqual(['s', 'w:2026-W42']);
  });

  it('from the first instant of a day on, up to the first of the next', () => {
    const midnight = Date.parse('2026-10-15T00:00:00Z');
    const names = (achievedAt: number) => namesOf(listsOf({ days }).listsOf({ achievedAt, scopes: {} }));
    expect([names(midnight - 1), names(midnight)]).toEqual([
      ['s', 'd:2026-10-14'],
      ['s', 'd:2026-10-15'],
    ]);
  });

  it('in the lists of each scope that it has and the board ranks, with the raw value last', () => {
    const lists = listsOf({ scopes: ['guild', 'region', 'platform'], days });
    const scopes = { clan: '1', region: 'eu:w 😀', guild: '77' };
    expect(lists.listsOf({ achievedAt: AT, scopes })).toEqual([
      { name: 's', keptUntil: null },
      { name: 'd:2026-10-14', keptUntil: Date.parse('2026-10-18T00:00:00Z') },
      { name: 's:guild:77', keptUntil: null },
      { name: 'd:2026-10-14:guild:77', keptUntil: Date.parse('2026-10-18T00:00:00Z') },
      { name: 's:region:eu:w 😀', keptUntil: null },
      { name: 'd:2026-10-14:region:eu:w 😀', keptUntil: Date.parse('2026-10-18T00:00:00Z') },
    ]);
  });

  it('in no list of what objects inherit, and in those of values that are named so', () => {
    const inherited = ['constructor', 'tostring', 'valueof', 'hasownproperty'];
    const lists = listsOf({ scopes: [...inherited, 'guild'] });
    expect(namesOf(lists.listsOf({ achievedAt: AT, scopes: {} }))).toEqual(['s']);
    for (const value of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(namesOf(lists.listsOf({ achievedAt: AT, scopes: { guild: value } }))).toEqual(['s', `s:guild:${value}`]);
      expect(lists.named(`s:guild:${value}`)).toEqual({ name: `s:guild:${value}`, keptUntil: null });
    }
    expect(namesOf(lists.listsOf({ achievedAt: AT, scopes: { constructor: '7' } }))).toEqual(['s', 's:constructor:7']);
  });

  it('in one and the same array with others of its day and week, where no scope is concerned', () => {
    const lists = listsOf({ days, weeks, scopes: ['guild'] });
    const first = lists.listsOf({ achievedAt: AT, scopes: {} });
    expect(lists.listsOf({ achievedAt: AT + 60_000, scopes: { clan: '7' } })).toBe(first);
    expect(lists.listsOf({ achievedAt: AT + DAY_MS, scopes: {} })).not.toBe(first);
  });
});

describe('the subject of a result', () => {
  it('is its player where the board ranks players', () => {
    expect(listsOf().subjectOf('42', { scopes: { player: '43' } })).toBe('42');
  });

  it('is the value of the scope where the board ranks one, and nobody where the result has none', () => {
    const guilds = listsOf({ subject: 'guild' });
    expect(guilds.subjectOf('42', { scopes: { guild: '77' } })).toBe('77');
    expect(guilds.subjectOf('42', { scopes: { clan: '77' } })).toBeUndefined();
    expect(listsOf({ subject: 'constructor' }).subjectOf('42', { scopes: {} })).toBeUndefined();
  });
});

describe('a name', () => {
  it('is of the list that a result gave it', () => {
    const lists = listsOf({ days, weeks, scopes: ['guild'] });
    fc.assert(
      fc.property(
        fc.integer({ min: season.startsAt, max: season.endsAt - 1 }),
        fc.string({ minLength: 1, maxLength: 12 }),
        (achievedAt, guild) => {
          for (const list of lists.listsOf({ achievedAt, scopes: { guild } })) {
            expect(lists.named(list.name)).toEqual(list);
          }
        },
      ),
    );
  });

  it('is kept for ever where it begins with the season, whatever stands in the value', () => {
    expect(listsOf({ days, scopes: ['d'] }).named('s:d:2026-10-14').keptUntil).toBeNull();
  });
});

describe('the lists of everybody', () => {
  const lists = listsOf({ days, weeks, scopes: ['guild'] });

  it('at an instant are the season, and the periods that have begun and are kept', () => {
    expect(lists.unscopedLists(AT)).toEqual([
      lists.named('s'),
      ...['d:2026-10-11', 'd:2026-10-12', 'd:2026-10-13', 'd:2026-10-14'].map((name) => lists.named(name)),
      ...['w:2026-W40', 'w:2026-W41', 'w:2026-W42'].map((name) => lists.named(name)),
    ]);
  });

  it('hold a period until its last kept instant, and from before its first', () => {
    const names = (now: number) => namesOf(lists.unscopedLists(now));
    const end = Date.parse('2026-10-18T00:00:00Z');
    expect(names(end - 1)).toContain('d:2026-10-14');
    expect(names(end)).not.toContain('d:2026-10-14');
    const start = Date.parse('2026-10-20T00:00:00Z');
    expect(names(start - 120_000)).toContain('d:2026-10-20');
    expect(names(start - 3_600_000)).not.toContain('d:2026-10-20');
  });

  it('are the season alone long before and long after it', () => {
    for (const now of [season.startsAt - DAY_MS, season.endsAt + 22 * DAY_MS]) {
      expect(namesOf(lists.unscopedLists(now))).toEqual(['s']);
    }
  });

  it('hold each list that a result of a clock two minutes ahead counts in, while it is kept', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: season.startsAt, max: season.endsAt - 1 }),
        fc.integer({ min: -120_000, max: 30 * DAY_MS }),
        (achievedAt, laterMs) => {
          const now = achievedAt + laterMs;
          const names = new Set(namesOf(lists.unscopedLists(now)));
          for (const { name, keptUntil } of lists.listsOf({ achievedAt, scopes: {} })) {
            expect(names.has(name)).toBe(keptUntil === null || keptUntil > now);
          }
        },
      ),
    );
  });
});
