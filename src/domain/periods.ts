/**
 * Periods: the days and ISO weeks of a season in a board's time zone, by calendar arithmetic: a day begins with its first
 * instant there, so it has 23 or 25 hours where clocks change. Redis and SQL get these windows and compute none themselves:
 * there is one tz database, that of Node.
 */

import { Temporal } from 'temporal-polyfill';
import type { Season } from './season.js';

/** What a board ranks beside the whole season. */
export type Period = 'day' | 'week';

/** A half-open window `[startsAt, endsAt)` inside its season, epoch milliseconds. */
export interface PeriodWindow {
  /** `2026-10-12`, or `2026-W42` with the ISO week-year: 2024-12-30 is in `2025-W01`. */
  readonly label: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

export const PERIODS: readonly Period[] = ['day', 'week'];

const DAY_MS = 86_400_000;
/** How long the lists of a period are there after its end: 3 days, and 3 weeks. */
export const PERIOD_KEPT_MS: Readonly<Record<Period, number>> = { day: 3 * DAY_MS, week: 21 * DAY_MS };

/** Whether a name is one of the IANA time zones that this process knows. */
export function isTimeZone(zone: string): boolean {
  try {
    // An offset such as +01:00 would be taken as well, but a board's midnight follows a place's clocks.
    return /^[A-Za-z]/.test(zone) && Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone) !== undefined;
  } catch {
    return false;
  }
}

/** All windows of a season in the order of time, without gaps; the first and the last are clipped to it. */
export function periodWindows(period: Period, zone: string, season: Season): PeriodWindow[] {
  const windows: PeriodWindow[] = [];
  let date = firstDate(period, zone, season.startsAt);
  let startsAt = season.startsAt;
  while (startsAt < season.endsAt) {
    const next = date.add(period === 'day' ? { days: 1 } : { weeks: 1 });
    const endsAt = Math.min(next.toZonedDateTime(zone).epochMilliseconds, season.endsAt);
    // A zone that moved across the date line has dates that never were.
    if (endsAt > startsAt) windows.push({ label: labelOf(period, date), startsAt, endsAt });
    startsAt = Math.max(startsAt, endsAt);
    date = next;
  }
  return windows;
}

/** The window in which an instant lies; `undefined` outside all of them. */
export function windowAt(windows: readonly PeriodWindow[], at: number): PeriodWindow | undefined {
  let low = 0;
  let high = windows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((windows[middle]?.endsAt ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const window = windows[low];
  return window !== undefined && window.startsAt <= at ? window : undefined;
}

/** The date, or the Monday, of the period in which an instant lies. */
function firstDate(period: Period, zone: string, at: number): Temporal.PlainDate {
  const date = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
  return period === 'day' ? date : date.subtract({ days: date.dayOfWeek - 1 });
}

function labelOf(period: Period, date: Temporal.PlainDate): string {
  if (period === 'day') return date.toString();
  return `${date.yearOfWeek}-W${String(date.weekOfYear).padStart(2, '0')}`;
}
