/** The shape of the boards file; proto/boards.schema.json is generated from it. What spans several keys is in boards.ts. */

import { z } from 'zod';
import { NAME_PATTERN } from '../domain/ids.js';
import { DURATION_PATTERN, parseDuration } from './durations.js';

const MAX_TOP_SIZE = 1_000;

const nameRule = 'must be a name of 1 to 32 of the characters a-z 0-9 -';
const name = z.string(nameRule).regex(NAME_PATTERN, nameRule);
/** `id: 12` is a number in YAML, and plainly meant as a name. */
const seasonId = z
  .union([name, z.int().min(0).max(999_999_999)], 'must be a name of 1 to 32 of the characters a-z 0-9 -, such as "12"')
  .transform(String);

const durationRule = 'must be a duration such as 30s, 15m, 1h or 7d';
const duration = z
  .string(durationRule)
  .regex(DURATION_PATTERN, durationRule)
  .transform((text) => parseDuration(text) ?? 0);

const instantRule = 'must be a date (midnight UTC) or an ISO 8601 time with offset, such as 2026-10-01T00:00:00Z';
const instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], instantRule)
  .transform((text) => Date.parse(text));

const pointsRule = 'must be a whole number from 0 to 9007199254740991';
const pointsBound = z.int(pointsRule).min(0, pointsRule);

const points = z.strictObject({
  min: pointsBound.default(0).describe('The least points of a result.'),
  max: pointsBound.describe('The most; as small as the game allows, for it takes bits from the time of ties.'),
});

const mode = z.strictObject({
  id: name.describe('Named by results as `mode`.'),
  points: points.describe('The inclusive range of whole points that a result of the mode may carry.'),
});

const board = z.strictObject({
  id: name.describe('Stands in URLs and on the wire.'),
  title: z.string().min(1).max(100).optional().describe('For people. Default: the id.'),
  modes: z.array(name).min(1, 'must name at least one mode').describe('The modes whose results it takes.'),
  rule: z
    .literal('best', 'must be best: sum and latest are not there yet')
    .default('best')
    .describe('How results merge into an entry. This version has best only.'),
  order: z
    .literal('high', 'must be high: low is not there yet')
    .default('high')
    .describe('Which end of the points is rank 1. This version has high only.'),
  topSize: z
    .int(`must be a whole number from 1 to ${MAX_TOP_SIZE}`)
    .min(1, `must be a whole number from 1 to ${MAX_TOP_SIZE}`)
    .max(MAX_TOP_SIZE, `must be a whole number from 1 to ${MAX_TOP_SIZE}`)
    .default(100)
    .describe('How many rows the top window may have at most.'),
});

const season = z.strictObject({
  id: seasonId.describe('Stands in URLs and on the wire.'),
  startsAt: instant.describe('The first instant of the season.'),
  endsAt: instant.describe('The first instant after it.'),
});

const calendar = z.strictObject({
  grace: duration.prefault('1h').describe('How long after a season ends the broker may still stamp a result of it.'),
  seasons: z
    .array(season)
    .min(1, 'must have at least one season')
    .describe('In the order of time, not overlapping; the same for all boards.'),
});

const file = {
  maxLateness: duration
    .prefault('7d')
    .describe('A result achieved longer than this before the broker stamped it is refused.'),
  modes: z.array(mode).min(1, 'must declare at least one mode').describe('What may be played.'),
  boards: z
    .array(board)
    .min(1, 'must declare at least one board')
    .describe('What is ranked. The first is the default board.'),
  calendar: calendar.describe('The one calendar that all boards share.'),
};
export const boardsFileSchema = z.strictObject(file, 'must be an object with modes, boards and calendar');
export type BoardsFile = z.output<typeof boardsFileSchema>;

/** The keys an object may have, by the name under which it stands in the file; the file itself under no name. */
export const KEYS_UNDER: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(file),
  modes: Object.keys(mode.shape),
  points: Object.keys(points.shape),
  boards: Object.keys(board.shape),
  calendar: Object.keys(calendar.shape),
  seasons: Object.keys(season.shape),
};

/** What proto/boards.schema.json must hold; a test compares. */
export function boardsJsonSchema(): object {
  const schema = z.toJSONSchema(boardsFileSchema, { io: 'input' });
  return { ...schema, title: 'Rankcast boards file' };
}
