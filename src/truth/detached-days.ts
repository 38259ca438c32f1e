/** Days whose rows were taken out of match_results: table `detached_day`. A day told of there may still be attached for a moment. */

import type { Pool, PoolClient } from 'pg';
import { RankcastError } from '../domain/errors.js';
import type { Season } from '../domain/season.js';
import { utcDay } from './day-partitions.js';

/** The rows are in tables of their own; only a person can attach them again. */
export class DetachedDaysError extends RankcastError {
  readonly isRetryable = false;
}

const NAMED_DAYS = 5;

/** UTC days of the season, in the order of time. */
export async function readDetachedDays(
  client: Pool | PoolClient,
  { startsAt, endsAt }: Pick<Season, 'startsAt' | 'endsAt'>,
): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>(
    'SELECT day::text AS day FROM detached_day WHERE day BETWEEN $1::date AND $2::date ORDER BY detached_day.day',
    [utcDay(startsAt), utcDay(endsAt - 1)],
  );
  return rows.map(({ day }) => day);
}

export async function readAllDetachedDays(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ day: string }>('SELECT day::text AS day FROM detached_day');
  return rows.map(({ day }) => day);
}

/** What of the board cannot be had without the rows of these days; `what`: the subject of the sentence. */
export function needsDays(what: string, days: readonly string[]): string {
  return (
    `${what} needs results of days that were detached from match_results: ${namedDays(days)}. ` +
    'Attach all their tables again and delete all the days from detached_day.'
  );
}

function namedDays(days: readonly string[]): string {
  const more = days.length > NAMED_DAYS ? ` and ${days.length - NAMED_DAYS} more` : '';
  return days.slice(0, NAMED_DAYS).join(', ') + more;
}
