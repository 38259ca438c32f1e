/** When a result was achieved, as the sender says it, judged by the broker's clock (case A09). */

import { describe, expect, it } from 'vitest';
import { judgeResult } from '../../src/domain/result.js';
import { AT, boardSet, DAY_MS, resultWith, season } from './result-fixture.js';

const HOUR_MS = 3_600_000;
const second = (value: number) => value * 1_000;

function judgeAt(achievedAt: unknown, brokerAt = AT, set = boardSet) {
  return judgeResult(resultWith({ achievedAt }), brokerAt, set);
}
const accepted = (achievedAt: number, seasonId = '9') => ({ accepted: true, result: { achievedAt, seasonId } });
const rejected = (code: string) => ({ accepted: false, rejection: { field: 'achievedAt', code } });

describe('judgeResult, the cases of a wrong clock', () => {
  it('(a) refuses second 1, which would win every tie', () => {
    expect(judgeAt(second(1))).toMatchObject(rejected('before_season'));
  });

  it('(b) refuses a time in a season that has not begun', () => {
    expect(judgeAt(second(1_780_272_010))).toMatchObject(rejected('in_the_future'));
    const next = { seasonId: '10', startsAt: season.endsAt, endsAt: season.endsAt + 90 * DAY_MS };
    const calendar = { ...boardSet.calendar, seasons: [season, next] };
    expect(judgeAt(second(1_780_272_010), AT, { ...boardSet, calendar })).toMatchObject(rejected('in_the_future'));
  });

  it('(c) takes seconds in the place of milliseconds for a date in 1970, and says so', () => {
    const verdict = judgeAt(1_775_001_600);
    expect(verdict).toMatchObject(rejected('before_season'));
    expect(verdict.accepted ? '' : verdict.rejection.message).toContain('milliseconds?');
    expect(judgeAt(1_775_001_600_000)).toMatchObject(accepted(AT));
  });

  it('(d) refuses the last second before the season', () => {
    for (const brokerAt of [AT, second(1_772_409_600)]) {
      expect(judgeAt(second(1_772_409_599), brokerAt)).toMatchObject(rejected('before_season'));
    }
  });

  it('(e) takes the first second of the season', () => {
    const first = second(1_772_409_600);
    expect(judgeAt(first, second(1_772_409_601))).toMatchObject(accepted(first));
    expect(judgeAt(first - 1, second(1_772_409_601))).toMatchObject(rejected('before_season'));
  });

  it('(f) takes a clock that is 120 s ahead, and no more', () => {
    expect(judgeAt(second(1_775_001_720))).toMatchObject(accepted(second(1_775_001_720)));
    expect(judgeAt(second(1_775_001_720) + 1)).toMatchObject(rejected('in_the_future'));
    expect(judgeAt(second(1_775_001_721))).toMatchObject(rejected('in_the_future'));
  });

  it('(g) refuses what is older than the boards file allows', () => {
    expect(judgeAt(AT - 10 * DAY_MS)).toMatchObject(rejected('too_late'));
    expect(judgeAt(AT - 7 * DAY_MS)).toMatchObject(accepted(AT - 7 * DAY_MS));
    expect(judgeAt(AT - 7 * DAY_MS - 1)).toMatchObject(rejected('too_late'));
  });
});

describe('judgeResult, the end of a season', () => {
  const last = season.endsAt - 1;

  it('takes a result of the season until the grace is over', () => {
    expect(judgeAt(last, season.endsAt)).toMatchObject(accepted(last));
    expect(judgeAt(last, season.endsAt + HOUR_MS - 1)).toMatchObject(accepted(last));
    expect(judgeAt(last, season.endsAt + HOUR_MS + 1)).toMatchObject(rejected('season_over'));
  });

  it('gives the first moment after a season to the next one, also in its grace', () => {
    const next = { seasonId: '10', startsAt: season.endsAt, endsAt: season.endsAt + DAY_MS };
    const set = { ...boardSet, calendar: { ...boardSet.calendar, seasons: [season, next] } };
    expect(judgeAt(season.endsAt, season.endsAt, set)).toMatchObject(accepted(season.endsAt, '10'));
    expect(judgeAt(last, season.endsAt + 1, set)).toMatchObject(accepted(last, '9'));
  });

  it('refuses a time in no season', () => {
    expect(judgeAt(season.endsAt, season.endsAt)).toMatchObject(rejected('no_season'));
  });
});

describe('judgeResult, the forms of a time', () => {
  it.each([
    ['2026-03-31T23:59:59.417Z', AT - 583],
    ['2026-04-01T00:00:00Z', AT],
    ['2026-04-01T00:00Z', AT],
    ['2026-04-01T02:00:00+02:00', AT],
    ['2026-04-01T02:00:00+0200', AT],
    ['2026-03-31T19:00:00-05:00', AT],
    ['2026-03-31T23:59:59.5Z', AT - 500],
    ['2026-03-31T23:59:59.123456789Z', AT - 877],
  ])('takes %s', (text, achievedAt) => {
    expect(judgeAt(text)).toMatchObject(accepted(achievedAt));
  });

  it.each([
    ['a time without an offset', '2026-04-01T00:00:00'],
    ['a date', '2026-04-01'],
    ['milliseconds as text', '1775001600000'],
    ['a time of another form', 'Wed, 01 Apr 2026 00:00:00 GMT'],
    ['a month that does not exist', '2026-13-01T00:00:00Z'],
    ['a day that does not exist', '2026-02-30T00:00:00Z'],
    ['a day that exists in leap years only', '2026-02-29T00:00:00Z'],
    ['a day that does not exist, with an offset', '2026-03-32T00:00:00+0100'],
    ['an hour that does not exist', '2026-03-31T25:00:00Z'],
    ['no text', ''],
    ['a broken number', 1_775_001_600_000.5],
    ['a number beyond 2^53-1', 2 ** 60],
    ['an object', {}],
  ])('refuses %s', (_, achievedAt) => {
    expect(judgeAt(achievedAt)).toMatchObject(rejected('bad_time'));
  });

  it('takes the leap day of a leap year', () => {
    const leapSeason = { seasonId: '1', startsAt: Date.UTC(2028, 1, 1), endsAt: Date.UTC(2028, 3, 1) };
    const set = { ...boardSet, calendar: { seasons: [leapSeason], graceMs: 0 } };
    const leapDay = Date.UTC(2028, 1, 29);
    expect(judgeAt('2028-02-29T00:00:00Z', leapDay, set)).toMatchObject(accepted(leapDay, '1'));
  });
});
