import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BoardSeasons, listRef } from '../../src/domain/board-season.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { MemoryRanking } from '../../src/ranking/memory-ranking.js';
import { MAX_FILL_CHUNK, MAX_SUBMIT_RESULTS } from '../../src/ranking/ranking.js';
import { fillTag } from '../../src/rebuild/fill-tag.js';
import type { DeadLetters } from '../../src/results/dead-letters.js';
import { PostgresLog } from '../../src/results/postgres-log.js';
import { RankingConsumer } from '../../src/results/ranking-consumer.js';
import type { ResultLog } from '../../src/results/result-log.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { RecentVoids } from '../../src/truth/recent-voids.js';
import { TruthSnapshots } from '../../src/truth/truth-snapshot.js';
import { createTruthDatabase, silent, type TruthDatabase } from '../truth/truth-database.js';
import { createTopicFixture, type KafkaTopicFixture } from './kafka-fixture.js';
import { boardSet, newRecord, RecordedReports, resultJson, until } from './log-fixture.js';

const SEASONS = new BoardSeasons(boardSet);
const [arena] = SEASONS.all;
if (arena === undefined) throw new Error('the fixture has a board');
const { layout } = arena;
const ARENA_LIST = listRef(arena);

let database: TruthDatabase;
let fixture: KafkaTopicFixture;
let ranking: MemoryRanking;
beforeEach(async () => {
  [database, fixture] = await Promise.all([createTruthDatabase(), createTopicFixture(1)]);
  ranking = new MemoryRanking();
});
afterEach(async () => {
  await fixture.drop();
  await ranking.close();
  await database.drop();
});

const counts = new Map<string, number>();
const counters = { count: (outcome: string, n: number) => counts.set(outcome, (counts.get(outcome) ?? 0) + n) };

function newTruth(log: ResultLog & { readonly deadLetters: DeadLetters }): TruthConsumer {
  const store = new MatchResultsPostgres({ pool: database.pool, ...boardSet });
  return new TruthConsumer({ store, deadLetters: log.deadLetters, log, boardSet, counters });
}

function newRanking(): RankingConsumer {
  const truth = new TruthSnapshots(database.pool);
  return new RankingConsumer({
    ranking,
    seasons: SEASONS,
    counters,
    voids: new RecentVoids(database.pool),
    maxSubmitResults: MAX_SUBMIT_RESULTS,
    otherDefinition: ({ name }) => name,
    lostResults: (tags) => tags.map(({ name }) => name).join(),
    logger: silent,
    fill: async (tag) => {
      await fillTag(tag, { target: ranking, truth, logger: silent, maxFillChunk: MAX_FILL_CHUNK });
    },
  });
}

async function pointsOf(playerId: string): Promise<number | null> {
  const [row] = (await ranking.readPlayers(ARENA_LIST, [playerId]))?.rows ?? [];
  return row === undefined || row.score === null ? null : unpackPoints(layout, row.score);
}

async function letterOffsets(): Promise<string[]> {
  const consumer = fixture.kafka.consumer({ groupId: fixture.group('dlq'), maxWaitTimeInMs: 10 });
  const letters: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: `${fixture.topic}.dlq`, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { headers, value } }) => {
      letters.push(`${headers?.['dlq-offset']} ${headers?.['dlq-reason']} ${value?.toString('hex')}`);
    },
  });
  const ends = await fixture.admin.fetchTopicOffsets(`${fixture.topic}.dlq`);
  await until('the dead letters', () => letters.length >= Number(ends[0]?.high));
  await consumer.disconnect();
  return letters.sort();
}

describe('the way of a result', () => {
  it('passes what cannot be decoded to the dead letters, applies the neighbours and ends without lag (A16)', async () => {
    const log = fixture.newLog();
    await log.check();
    await log.consume(fixture.group('truth'), newTruth(log), 'gathered');
    await log.consume(fixture.group('ranking'), newRanking(), 'urgent');
    const producer = fixture.kafka.producer();
    await producer.connect();
    const bad = [Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('{"points":')] as const;
    await producer.send({
      topic: fixture.topic,
      messages: [
        { key: 'pl-1', value: resultJson({ matchId: 'a', points: 5 }) },
        { key: null, value: resultJson({ matchId: 'b', points: 10 }) },
        { key: 'pl-1', value: null },
        { key: 'pl-1', value: bad[0], headers: { trace: 'abc' } },
        { key: 'pl-1', value: bad[1] },
        { key: 'pl-1', value: resultJson({ matchId: 'c', points: 15 }) },
      ],
    });
    await producer.disconnect();
    const next = async () => database.ask('SELECT next::int FROM source_position');
    await until('the end', async () => (await next())[0]?.['next'] === 6 && (await pointsOf('pl-1')) === 15);
    const rows = await database.ask('SELECT match_id, source_offset::int AS at FROM match_results ORDER BY 2');
    expect(rows).toEqual([
      { match_id: 'a', at: 0 },
      { match_id: 'b', at: 1 },
      { match_id: 'c', at: 5 },
    ]);
    expect(await letterOffsets()).toEqual([
      `3 bad_utf8 ${bad[0].toString('hex')}`,
      `4 bad_json ${bad[1].toString('hex')}`,
    ]);
    await until('no lag', () => fixture.reports.lags.get(0) === 0);
  });

  it('reads again after truth was restored to older positions, and stores each result once', async () => {
    const log = fixture.newLog();
    await log.check();
    await log.consume(fixture.group('truth'), newTruth(log), 'gathered');
    await log.append(Array.from({ length: 200 }, (_, n) => newRecord(n)));
    const stored = async () =>
      (await database.ask<{ n: number }>('SELECT count(*)::int AS n FROM match_results'))[0]?.n;
    await until('all rows', async () => (await stored()) === 200);
    await database.ask('DELETE FROM match_results WHERE source_offset >= 40');
    await database.ask('UPDATE source_position SET next = 30');
    await until('all rows again', async () => (await stored()) === 200);
    await log.append([newRecord(500)]);
    await until('the next', async () => (await stored()) === 201);
    expect(await database.ask('SELECT next::int FROM source_position')).toEqual([{ next: 201 }]);
  });

  it('ends the same without Kafka, over a restart whose memory is filled from the database', async () => {
    const reports = new RecordedReports();
    const open = async (): Promise<ResultLog> => {
      const log = new PostgresLog({ database: database.access, reports, logger: silent });
      await log.check();
      await log.consume('truth', newTruth(log));
      await log.consume('ranking', newRanking());
      return log;
    };
    const first = await open();
    const results = Array.from({ length: 400 }, (_, n) => newRecord(n, { points: (n * 37) % 1_000 }));
    await first.append([...results.slice(0, 200), { key: 'x', value: Buffer.from('{"a":"\u0000') }]);
    await until(
      'truth',
      async () => (await database.ask('SELECT next::int FROM source_position'))[0]?.['next'] === 202,
    );
    await first.close();
    await ranking.close();
    ranking = new MemoryRanking();
    const second = await open();
    await second.append(results);
    const best = new Map<string, number>();
    for (const [n, { key }] of results.entries()) best.set(key, Math.max(best.get(key) ?? 0, (n * 37) % 1_000));
    for (const [playerId, points] of best) await until(playerId, async () => (await pointsOf(playerId)) === points);
    await until(
      'truth',
      async () => (await database.ask('SELECT next::int FROM source_position'))[0]?.['next'] === 602,
    );
    expect(await database.ask('SELECT count(*)::int FROM match_results')).toEqual([{ count: 400 }]);
    expect(await database.ask('SELECT source_offset::int AS at, reason FROM dead_letter')).toEqual([
      { at: 201, reason: 'bad_json' },
    ]);
    await second.close();
  });
});
