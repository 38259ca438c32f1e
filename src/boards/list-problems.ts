/** What can be wrong with what says which lists a board has: subject, periods, zone and scopes. */

import { nearestName } from '../config/nearest-name.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import { isTimeZone } from '../domain/periods.js';
import type { FileBoard } from './boards-schema.js';

/** They begin the names of lists, where a scope may follow. */
const LIST_LETTERS: readonly string[] = ['s', 'd', 'w'];

/** `path` is the board's place in the file. */
export function findListProblems(path: string, board: FileBoard): string[] {
  const { subject, periods, zone, scopes } = board;
  return [
    ...findTakenNames(`${path}.subject`, subject),
    ...findRepeats(`${path}.periods`, periods),
    ...findZoneProblems(`${path}.zone`, zone),
    ...findRepeats(`${path}.scopes`, scopes),
    ...scopes.flatMap((scope, index) => findScopeProblems(`${path}.scopes[${index}]`, scope, subject)),
  ];
}

function findScopeProblems(at: string, scope: string, subject: string): string[] {
  if (scope === PLAYER_SUBJECT) return [`${at}: ${scope} cannot be a scope: as a subject it means the players`];
  if (scope === subject) return [`${at}: ${scope} is the subject: each list of one ${scope} would rank that one alone`];
  return findTakenNames(at, scope);
}

function findTakenNames(at: string, name: string): string[] {
  return LIST_LETTERS.includes(name)
    ? [`${at}: ${name} cannot be a scope: ${LIST_LETTERS.join(', ')} stand for season, day and week`]
    : [];
}

function findRepeats(path: string, names: readonly string[]): string[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [`${path}[${index}]: ${name} is named twice`] : [],
  );
}

function findZoneProblems(at: string, zone: string): string[] {
  if (isTimeZone(zone)) return [];
  const nearest = nearestName(zone, Intl.supportedValuesOf('timeZone'));
  return [`${at}: ${zone} is not the name of a time zone such as Europe/Berlin (did you mean ${nearest}?)`];
}
