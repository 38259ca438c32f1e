import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TruthHide } from '../../src/domain/truth-batch.js';
import { readHidden } from '../../src/truth/hidden-players.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { boardSeasonOf } from '../support/definitions.js';
import { createTruthDatabase, NO_SEASONS, type TruthDatabase } from './truth-database.js';

const PLAYERS = boardSeasonOf();

let database: TruthDatabase;
let store: MatchResultsPostgres;
beforeEach(async () => {
  database = await createTruthDatabase();
  store = new MatchResultsPostgres({ pool: database.pool, maxLatenessMs: 86_400_000, calendar: NO_SEASONS });
});
afterEach(() => database.drop());

const said = (playerId: string, isHidden: boolean, offset: number, brokerAt = offset): TruthHide => ({
  playerId,
  isHidden,
  offset,
  brokerAt,
});

async function write(hides: readonly TruthHide[], partition = 0): Promise<void> {
  const offsets = hides.map(({ offset }) => offset);
  await store.write([{ source: 'kafka:t', partition, from: 0, to: Math.max(...offsets) + 1, rows: [], hides }]);
}

it('hides players until they are shown again', async () => {
  await write([said('a', true, 0), said('😀', true, 1), said('b', true, 2)]);
  expect(await readHidden(database.pool, PLAYERS)).toEqual(['a', 'b', '😀']);
  await write([said('a', false, 3)]);
  expect(await readHidden(database.pool, PLAYERS)).toEqual(['b', '😀']);
});

it('takes the last word in the log, in one batch and when older ones are read again', async () => {
  await write([said('a', false, 3), said('a', true, 2), said('b', true, 1), said('b', false, 0)]);
  expect(await readHidden(database.pool, PLAYERS)).toEqual(['b']);
  await write([said('a', true, 2), said('b', false, 0)]);
  expect(await readHidden(database.pool, PLAYERS)).toEqual(['b']);
});

it('goes by the stamps of the log where partitions were added', async () => {
  await write([said('a', true, 9, 50)]);
  await write([said('a', false, 0, 40)], 1);
  expect(await readHidden(database.pool, PLAYERS)).toEqual(['a']);
  await write([said('a', false, 1, 60)], 1);
  expect(await readHidden(database.pool, PLAYERS)).toEqual([]);
});

it('hides no guild that has the id of a hidden player', async () => {
  await write([said('77', true, 0)]);
  expect(await readHidden(database.pool, boardSeasonOf({ subject: 'guild' }))).toEqual([]);
});
