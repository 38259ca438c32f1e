/** What a result says: how the columns hold it, and what differs between two copies. */

import type { ListedResult } from '../domain/lists.js';
import type { Result } from '../domain/result.js';

/** What two copies of one identity must agree on, as the columns hold it. */
export interface ResultContent {
  readonly mode: string;
  /** The value of the mode's first field. */
  readonly points: number;
  /** All values by name; `null` where the only one is called points, which is nearly every row of nearly every game. */
  readonly fields: Readonly<Record<string, number>> | null;
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

/** What tells a result from all others. */
export type Identity = Pick<Result, 'matchId' | 'playerId'>;

/** Control characters cannot be in ids, so this names an identity. */
export function identityOf({ matchId, playerId }: Identity): string {
  return `${matchId}\n${playerId}`;
}

/** How a result is stored: see `ResultContent`. */
export function contentOf({ mode, fields, achievedAt, scopes }: Result): ResultContent {
  return { mode, ...valuesOf(fields), achievedAt, scopes };
}

/** How the values of a result, or of its correction, are stored. */
export function valuesOf(fields: Result['fields']): Pick<ResultContent, 'points' | 'fields'> {
  const [[name, points] = [], ...others] = Object.entries(fields);
  if (points === undefined) throw new RangeError('a judged result has at least one field');
  return { points, fields: name === 'points' && others.length === 0 ? null : fields };
}

/** Whether two copies count in the same lists, for the same subject. */
export function areListedAlike(a: ListedResult, b: ListedResult): boolean {
  return a.achievedAt === b.achievedAt && scopesText(a.scopes) === scopesText(b.scopes);
}

/** `undefined` where the contents agree, else what differs, for the person who reads the dead letter. */
export function differenceOf(kept: ResultContent, incoming: Result): string | undefined {
  if (kept.mode !== incoming.mode) return `mode ${incoming.mode} instead of ${kept.mode}`;
  const fields = fieldsDifference(kept, incoming.fields);
  if (fields !== undefined) return fields;
  if (kept.achievedAt !== incoming.achievedAt) {
    return `achievedAt ${new Date(incoming.achievedAt).toISOString()} instead of ${new Date(kept.achievedAt).toISOString()}`;
  }
  return scopesText(kept.scopes) === scopesText(incoming.scopes) ? undefined : 'other scopes';
}

function fieldsDifference(kept: ResultContent, incoming: Result['fields']): string | undefined {
  const now = new Map(Object.entries(incoming));
  const held = new Map(Object.entries(kept.fields ?? { points: kept.points }));
  const name = [...now.keys(), ...held.keys()].find((field) => now.get(field) !== held.get(field));
  return name === undefined
    ? undefined
    : `${name} ${now.get(name) ?? 'absent'} instead of ${held.get(name) ?? 'absent'}`;
}

function scopesText(scopes: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(scopes).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted);
}
