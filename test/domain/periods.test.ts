import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTimeZone, type Period, type PeriodWindow, periodWindows, windowAt } from '../../src/domain/periods.js';
import type { Season } from '../../src/domain/season.js';

const HOUR_MS = 3_600_000;

function seasonOf(from: string, to: string): Season {
  return { seasonId: '1', startsAt: Date.parse(from), endsAt: Date.parse(to) };
}

/** The label of the window in which an instant lies, of a season long around it. */
function labelAt(period: Period, zone: string, instant: string): string | undefined {
  const at = Date.parse(instant);
  const season = { seasonId: '1', startsAt: at - 400 * 24 * HOUR_MS, endsAt: at + 400 * 24 * HOUR_MS };
  return windowAt(periodWindows(period, zone, season), at)?.label;
}

function show(windows: readonly PeriodWindow[]): string[] {
  const instant = (at: number) => new Date(at).toISOString().replace(':00.000Z', 'Z');
  return windows.map(({ label, startsAt, endsAt }) => `${label} ${instant(startsAt)} ${instant(endsAt)}`);
}

/** Hours of each day from the first date to the last, both whole. */
function hoursOf(zone: string, from: string, to: string): Record<string, number> {
  const season = seasonOf(from, to);
  return Object.fromEntries(
    periodWindows('day', zone, season).map(({ label, startsAt, endsAt }) => [label, (endsAt - startsAt) / HOUR_MS]),
  );
}

describe('a week', () => {
  it.each([
    ['2024-12-30', '2025-W01'],
    ['2024-12-29', '2024-W52'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
    ['2025-12-29', '2026-W01'],
    ['2026-10-12', '2026-W42'],
  ])('of %s is named %s, by the ISO week-year (A10)', (date, label) => {
    expect(labelAt('week', 'UTC', `${date}T00:00:00Z`)).toBe(label);
    expect(labelAt('week', 'UTC', `${date}T23:59:59.999Z`)).toBe(label);
  });

  it('of January 2024 is not that of the last days of December (A10)', () => {
    expect(labelAt('week', 'UTC', '2024-01-03T00:00:00Z')).toBe('2024-W01');
  });

  it('begins at midnight of its Monday in the zone', () => {
    expect(labelAt('week', 'Asia/Tokyo', '2026-10-11T14:59:59.999Z')).toBe('2026-W41');
    expect(labelAt('week', 'Asia/Tokyo', '2026-10-11T15:00:00Z')).toBe('2026-W42');
    expect(labelAt('week', 'America/New_York', '2026-10-12T03:59:59.999Z')).toBe('2026-W41');
    expect(labelAt('week', 'America/New_York', '2026-10-12T04:00:00Z')).toBe('2026-W42');
  });

  it('has an hour less or more where clocks change in it', () => {
    const weeks = periodWindows('week', 'Europe/Berlin', seasonOf('2026-03-22T23:00:00Z', '2026-10-25T23:00:00Z'));
    const hours = new Map(weeks.map(({ label, startsAt, endsAt }) => [label, (endsAt - startsAt) / HOUR_MS]));
    expect([hours.get('2026-W13'), hours.get('2026-W14'), hours.get('2026-W43')]).toEqual([167, 168, 169]);
  });
});

describe('a day', () => {
  it('has 23 hours where clocks go forward, and 25 where they go back', () => {
    expect(hoursOf('Europe/Berlin', '2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z')).toEqual({
      '2026-03-28': 24,
      '2026-03-29': 23,
      '2026-03-30': 24,
    });
    expect(hoursOf('Europe/Berlin', '2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z')).toEqual({
      '2026-10-24': 24,
      '2026-10-25': 25,
      '2026-10-26': 24,
    });
  });

  it('whose midnight does not exist begins with the first instant there is', () => {
    // Havana, 2026-03-08: at 00:00 clocks go to 01:00.
    expect(hoursOf('America/Havana', '2026-03-07T05:00:00Z', '2026-03-10T04:00:00Z')).toEqual({
      '2026-03-07': 24,
      '2026-03-08': 23,
      '2026-03-09': 24,
    });
    expect(labelAt('day', 'America/Havana', '2026-03-08T04:59:59.999Z')).toBe('2026-03-07');
    expect(labelAt('day', 'America/Havana', '2026-03-08T05:00:00Z')).toBe('2026-03-08');
  });

  it('whose midnight is there twice begins with the first of the two', () => {
    // Havana, 2026-11-01: at 01:00 clocks go back to 00:00.
    expect(hoursOf('America/Havana', '2026-10-31T04:00:00Z', '2026-11-03T05:00:00Z')).toEqual({
      '2026-10-31': 24,
      '2026-11-01': 25,
      '2026-11-02': 24,
    });
    expect(labelAt('day', 'America/Havana', '2026-11-01T03:59:59.999Z')).toBe('2026-10-31');
    expect(labelAt('day', 'America/Havana', '2026-11-01T04:00:00Z')).toBe('2026-11-01');
    expect(labelAt('day', 'America/Havana', '2026-11-01T05:00:00Z')).toBe('2026-11-01');
  });

  it('that a zone left out is not there', () => {
    // Apia went across the date line: 2011-12-29 was followed by 2011-12-31.
    expect(
      show(periodWindows('day', 'Pacific/Apia', seasonOf('2011-12-29T10:00:00Z', '2011-12-31T10:00:00Z'))),
    ).toEqual(['2011-12-29 2011-12-29T10:00Z 2011-12-30T10:00Z', '2011-12-31 2011-12-30T10:00Z 2011-12-31T10:00Z']);
    const [week] = periodWindows('week', 'Pacific/Apia', seasonOf('2011-12-26T10:00:00Z', '2012-01-01T10:00:00Z'));
    expect(week).toMatchObject({ label: '2011-W52', endsAt: Date.parse('2012-01-01T10:00:00Z') });
  });

  it('begins once where clocks go back over midnight itself', () => {
    // Asuncion, 2024-03-24: at 00:00 clocks go back to 23:00 of the day before, which is 25 hours long.
    expect(hoursOf('America/Asuncion', '2024-03-23T03:00:00Z', '2024-03-25T04:00:00Z')).toEqual({
      '2024-03-23': 25,
      '2024-03-24': 24,
    });
  });
});

describe('the windows of a season', () => {
  it('are clipped to a season that begins in the middle of a week and a day', () => {
    const season = seasonOf('2026-10-14T09:30:00Z', '2026-10-20T12:00:00Z');
    expect(show(periodWindows('week', 'UTC', season))).toEqual([
      '2026-W42 2026-10-14T09:30Z 2026-10-19T00:00Z',
      '2026-W43 2026-10-19T00:00Z 2026-10-20T12:00Z',
    ]);
    const days = show(periodWindows('day', 'Asia/Tokyo', season));
    expect(days).toHaveLength(7);
    expect([days[0], days[1], days.at(-1)]).toEqual([
      '2026-10-14 2026-10-14T09:30Z 2026-10-14T15:00Z',
      '2026-10-15 2026-10-14T15:00Z 2026-10-15T15:00Z',
      '2026-10-20 2026-10-19T15:00Z 2026-10-20T12:00Z',
    ]);
  });

  it('are one where the season lies in a single day', () => {
    const season = seasonOf('2026-10-14T09:30:00Z', '2026-10-14T09:31:00Z');
    expect(show(periodWindows('day', 'UTC', season))).toEqual(['2026-10-14 2026-10-14T09:30Z 2026-10-14T09:31Z']);
    expect(show(periodWindows('week', 'UTC', season))).toEqual(['2026-W42 2026-10-14T09:30Z 2026-10-14T09:31Z']);
  });

  const zones = ['UTC', 'Europe/Berlin', 'America/Havana', 'Pacific/Apia', 'America/St_Johns', 'Africa/Casablanca'];
  const seasons = fc.record({
    period: fc.constantFrom<Period>('day', 'week'),
    zone: fc.constantFrom(...zones, 'America/Asuncion', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
    startsAt: fc.integer({ min: Date.UTC(1987, 0), max: Date.UTC(2035, 0) }),
    lengthMs: fc.integer({ min: 1, max: 120 * 24 * HOUR_MS }),
  });

  it('have no gaps, overlaps or names twice, and hold every instant of the season and no other', () => {
    fc.assert(
      fc.property(seasons, fc.double({ min: 0, max: 1, noNaN: true }), ({ period, zone, startsAt, lengthMs }, part) => {
        const endsAt = startsAt + lengthMs;
        const windows = periodWindows(period, zone, { seasonId: '1', startsAt, endsAt });
        expect([windows[0]?.startsAt, windows.at(-1)?.endsAt]).toEqual([startsAt, endsAt]);
        windows.forEach((window, index) => {
          expect(window.startsAt).toBeLessThan(window.endsAt);
          if (index > 0) expect(window.startsAt).toBe(windows[index - 1]?.endsAt);
        });
        expect(new Set(windows.map(({ label }) => label)).size).toBe(windows.length);
        const at = startsAt + Math.floor(part * (lengthMs - 1));
        const window = windowAt(windows, at);
        expect(window).toBe(windows.find((one) => one.startsAt <= at && at < one.endsAt));
        expect(window).toBeDefined();
        expect([windowAt(windows, startsAt - 1), windowAt(windows, endsAt)]).toEqual([undefined, undefined]);
      }),
      { numRuns: 300 },
    );
  });

  it('are named as the clocks of the zone show the date, in all zones whose midnight is there once', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) }), (at) => {
        for (const zone of ['UTC', 'Europe/Berlin', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
          const season = { seasonId: '1', startsAt: at - 40 * HOUR_MS, endsAt: at + 40 * HOUR_MS };
          const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at);
          expect(windowAt(periodWindows('day', zone, season), at)?.label).toBe(shown);
        }
      }),
    );
  });
});

it.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['Etc/GMT+12', true],
  ['Europe/Berlon', false],
  ['+01:00', false],
  ['', false],
  ['constructor', false],
  ['Europe/Berlin\n', false],
  ['2026-10-12', false],
])('the time zone %j is known: %s', (zone, isKnown) => {
  expect(isTimeZone(zone)).toBe(isKnown);
});
