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

/** The season a reader means who names none: the one that is on, else the last that was, else the first to come. */
export function currentSeason(calendar: Calendar, now: number): Season {
  const started = calendar.seasons.filter((season) => season.startsAt <= now);
  const current = started.at(-1) ?? calendar.seasons[0];
  if (current === undefined) throw new Error('a calendar has at least one season; the boards file is checked for it');
  return current;
}
