/** Seasons: the one calendar that all boards share. */

/** A half-open window `[startsAt, endsAt)`, epoch milliseconds, after which ranks are final. */
export interface Season {
  readonly seasonId: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

export interface Calendar {
  /** In the order of time, not overlapping. */
  readonly seasons: readonly Season[];
  /** How long after a season's end the broker may still stamp a result of it. */
  readonly graceMs: number;
}

/** The season in which an instant lies, or `undefined` in a gap, before the first and after the last. */
export function seasonAt(calendar: Calendar, at: number): Season | undefined {
  return calendar.seasons.find((season) => at >= season.startsAt && at < season.endsAt);
}

/** From this instant on, by the log's stamps, a season's standings are final: no result, void or correction changes them. */
export function finalAt(calendar: Calendar, season: Season): number {
  return season.endsAt + calendar.graceMs;
}

/** The season in which a result was achieved, where its standings are final at `at`. */
export function finalSeasonAt(calendar: Calendar, achievedAt: number, at: number): Season | undefined {
  const season = seasonAt(calendar, achievedAt);
  return season !== undefined && at >= finalAt(calendar, season) ? season : undefined;
}

/** For whoever sends an order about a result of a season that is final. */
export function describeFinal(calendar: Calendar, season: Season): string {
  const since = new Date(finalAt(calendar, season)).toISOString();
  return `the result is of season ${season.seasonId}, whose standings are final since ${since}: it stays as it is`;
}

/** The season a reader means who names none: the one that is on, else the last that was, else the first to come. */
export function currentSeason(calendar: Calendar, now: number): Season {
  const started = calendar.seasons.filter((season) => season.startsAt <= now);
  const current = started.at(-1) ?? calendar.seasons[0];
  if (current === undefined) throw new Error('a calendar has at least one season; the boards file is checked for it');
  return current;
}
