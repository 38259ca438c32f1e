/** Days whose rows were taken out of match_results: table `detached_day`. What would need them is refused. */

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

/** `what`: the subject of the sentence. Throws `DetachedDaysError` where days of the season are detached. */
export async function refuseWithoutDays(client: Pool | PoolClient, season: Season, what: string): Promise<void> {
  const days = await readDetachedDays(client, season);
  if (days.length > 0) throw new DetachedDaysError(needsDays(what, days));
}

function needsDays(what: string, days: readonly string[]): string {
  const named = days.slice(0, NAMED_DAYS).join(', ');
  const more = days.length > NAMED_DAYS ? ` and ${days.length - NAMED_DAYS} more` : '';
  return (
    `${what} needs results of days that were detached from match_results: ${named}${more}. ` +
    'Attach their tables again and delete the days from detached_day.'
  );
}
