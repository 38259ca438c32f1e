/** The shape of the boards file; proto/boards.schema.json is generated from it. What spans several keys is in boards-problems.ts. */

import { z } from 'zod';
import { NAME_PATTERN } from '../domain/ids.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import { PERIODS } from '../domain/periods.js';
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

const boundRule = 'must be a whole number from 0 to 9007199254740991';
const bound = z.int(boundRule).min(0, boundRule);

const range = z.strictObject({
  min: bound.default(0).describe('The least a result may carry.'),
  max: bound.describe('The most; as small as the game allows, for it takes bits from the time of ties.'),
});

/** A field's name stands in results, and is told apart by case: they are the game's own names. */
const FIELD_PATTERN = /^[a-zA-Z][a-zA-Z0-9]{0,31}$/;
const fieldRule = 'must be a name of 1 to 32 letters and digits, a letter first';
const field = z.string(fieldRule).regex(FIELD_PATTERN, fieldRule);

const MAX_FIELDS = 8;
const fieldsRule = `must be an object of 1 to ${MAX_FIELDS} fields`;
const fields = z
  .record(field, range, { error: ({ code }) => (code === 'invalid_key' ? fieldRule : fieldsRule) })
  .refine((named) => Object.keys(named).length >= 1 && Object.keys(named).length <= MAX_FIELDS, fieldsRule)
  .meta({ minProperties: 1, maxProperties: MAX_FIELDS });

const mode = z
  .strictObject({
    id: name.describe('Named by results as `mode`.'),
    points: range.optional().describe('The inclusive range of a mode that has one field, called points.'),
    fields: fields.optional().describe('The inclusive range of each field, by its name.'),
  })
  .meta({ oneOf: [{ required: ['points'] }, { required: ['fields'] }] });

const order = z.enum(['high', 'low'], 'must be high or low');

const key = z.strictObject({
  field: field.describe('A field that each mode of the board has.'),
  order: order.default('high').describe('Which end of it is rank 1.'),
});

const MAX_KEYS = 4;
const keysRule = `must be a list of 1 to ${MAX_KEYS} keys`;
const totalRule = 'must be a whole number from 1 to 9007199254740991';
const subjectRule = 'must be player, or the name of a scope: 1 to 32 of the characters a-z 0-9 -';
/** May be named, and is ranked in any case. */
const SEASON_PERIOD = 'season';
const periodsRule = 'must be a list of season, day and week';
const zoneRule = 'must be the name of a time zone such as Europe/Berlin';
const MAX_SCOPES = 4;
const scopesRule = `must be a list of at most ${MAX_SCOPES} names`;
const topSizeRule = `must be a whole number from 1 to ${MAX_TOP_SIZE}`;

const tierNameRule = 'must be a name of 1 to 32 characters';
const percentRule = 'must be a number above 0 and up to 100, in steps of 0.01';
const MAX_TIERS = 16;
const tiersRule = `must be a list of at most ${MAX_TIERS} tiers, the best first`;
const tier = z
  .strictObject({
    name: z.string(tierNameRule).trim().min(1, tierNameRule).max(32, tierNameRule).describe('For people.'),
    points: bound.optional().describe('Points that it takes: at least, or at most where low is first.'),
    topPercent: z
      .number(percentRule)
      .positive(percentRule)
      .max(100, percentRule)
      .multipleOf(0.01, percentRule)
      .optional()
      .describe('Of the players, rounded up.'),
  })
  .meta({ oneOf: [{ required: ['points'] }, { required: ['topPercent'] }] });

const board = z
  .strictObject({
    id: name.describe('Stands in URLs and on the wire.'),
    title: z.string().min(1).max(100).optional().describe('For people. Default: the id.'),
    modes: z.array(name).min(1, 'must name at least one mode').describe('The modes whose results it takes.'),
    rule: z
      .enum(['best', 'latest', 'sum'], 'must be best, latest or sum')
      .default('best')
      .describe("How results merge into an entry: a player's best one, his latest one, or all of them added up."),
    order: order.optional().describe('Where no keys are given: which end of the first field is rank 1. Default: high.'),
    keys: z
      .array(key, keysRule)
      .min(1, keysRule)
      .max(MAX_KEYS, keysRule)
      .optional()
      .describe('What orders the board, the most important first. Default: the first field of its modes.'),
    maxTotal: z
      .int(totalRule)
      .min(1, totalRule)
      .optional()
      .describe('Where a total stops growing. Needed for rule sum, and for no other.'),
    subject: z
      .string(subjectRule)
      .regex(NAME_PATTERN, subjectRule)
      .default(PLAYER_SUBJECT)
      .describe('Who is ranked: player, or a scope of the results, such as guild, whose values are.'),
    periods: z
      .array(z.enum([SEASON_PERIOD, ...PERIODS], 'must be season, day or week'), periodsRule)
      .default([SEASON_PERIOD])
      .describe('What is ranked: the season always, named or not, and with it each day and each week.'),
    zone: z
      .string(zoneRule)
      .min(1, zoneRule)
      .max(64, zoneRule)
      .default('UTC')
      .describe('The IANA time zone in which days and weeks begin.'),
    scopes: z
      .array(name, scopesRule)
      .max(MAX_SCOPES, scopesRule)
      .default([])
      .describe('Scopes of the results, such as region; each of their values has lists of its own.'),
    topSize: z
      .int(topSizeRule)
      .min(1, topSizeRule)
      .max(MAX_TOP_SIZE, topSizeRule)
      .default(100)
      .describe('How many rows the top window may have at most.'),
    tiers: z
      .array(tier, tiersRule)
      .max(MAX_TIERS, tiersRule)
      .default([])
      .describe('Named bands, the best first: all by points of the first key, or all by percent of the players.'),
  })
  .meta({ not: { required: ['order', 'keys'] } });

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
export type FileMode = BoardsFile['modes'][number];
export type FileBoard = BoardsFile['boards'][number];

/** By the name under which it stands in the file; the file itself under no name. */
const KEYS_UNDER: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(file),
  modes: Object.keys(mode.shape),
  points: Object.keys(range.shape),
  boards: Object.keys(board.shape),
  keys: Object.keys(key.shape),
  tiers: Object.keys(tier.shape),
  calendar: Object.keys(calendar.shape),
  seasons: Object.keys(season.shape),
};

/** The keys that the object at a path of the file may have. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const names = path.filter((part) => typeof part === 'string');
  // What stands under fields has names of the file's own, and each is a range as points is.
  const parent = names.at(-2) === 'fields' ? 'points' : (names.at(-1) ?? '');
  return KEYS_UNDER[parent] ?? [];
}

/** What proto/boards.schema.json must hold; a test compares. */
export function boardsJsonSchema(): object {
  const schema = z.toJSONSchema(boardsFileSchema, { io: 'input' });
  return { ...schema, title: 'Rankcast boards file' };
}
