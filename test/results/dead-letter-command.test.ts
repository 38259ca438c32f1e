import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readDlqArguments } from '../../src/app/dlq-arguments.js';
import { runDlq } from '../../src/app/dlq-command.js';
import { type Config, readConfig } from '../../src/config.js';
import { StartRefusedError, UsageError } from '../../src/domain/errors.js';
import { PostgresDeadLetters } from '../../src/results/dead-letters-postgres.js';
import { appendRows } from '../../src/results/postgres-rows.js';
import { TruthConsumer } from '../../src/results/truth-consumer.js';
import { startEmbeddedPostgres } from '../../src/truth/embedded/embedded-postgres.js';
import { MatchResultsPostgres } from '../../src/truth/match-results-postgres.js';
import { makeDataFolder } from '../support/data-folder.js';
import { createTruthDatabase, databaseUrl, silent, type TruthDatabase } from '../truth/truth-database.js';
import { createTopicFixture, kafkaBrokers } from './kafka-fixture.js';
import { boardSet, newRecord, resultJson, until } from './log-fixture.js';

const DAY_MS = 86_400_000;

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase();
});
afterEach(() => database.drop());

function configOf(env: Readonly<Record<string, string>>): Config {
  const secret = { RANKCAST_TOKEN_SECRET: 'x'.repeat(32) };
  return readConfig({ ...secret, RANKCAST_DATABASE_SCHEMA: database.schema, ...env });
}

async function dlq(config: Config, ...args: string[]): Promise<string[]> {
  const printed: string[] = [];
  const order = readDlqArguments(args);
  if (order === null) throw new Error('help was asked for');
  await runDlq({
    config,
    logger: silent,
    order,
    print: (line) => printed.push(line),
    progress: () => undefined,
  });
  return printed;
}

describe('rankcast dlq', () => {
  it('lists and replays what waits in the database, and counts what will be too late', async () => {
    const config = configOf({ RANKCAST_DATABASE_URL: databaseUrl() });
    const values = [resultJson({}), resultJson({ achievedAt: Date.now() - 8 * DAY_MS }), Buffer.from('{')];
    const reasons = ['unknown_mode', 'unknown_mode', 'bad_json'];
    await database.access.transact((client) =>
      appendRows(
        client,
        values.map((value) => ({ key: 'pl-1', value })),
      ),
    );
    await new PostgresDeadLetters(database.access).write(
      values.map((value, n) => ({
        source: 'postgres',
        partition: 0,
        record: { offset: n + 1, key: Buffer.from('pl-1'), value, brokerAt: 1 },
        reason: reasons[n] ?? '',
        detail: '',
      })),
    );
    const lines = await dlq(config, 'list', '--reason', 'bad_json');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ offset: 3, key: 'pl-1', value: '{' }]);
    expect(await dlq(config, 'list', '--limit', '2')).toHaveLength(2);
    const would = await dlq(config, 'replay', '--dry-run', '--reason', 'unknown_mode');
    expect(would).toEqual(['would_replay=2 left=1 too_late=1 reason=unknown_mode']);
    expect(await dlq(config, 'replay', '--reason', 'unknown_mode')).toEqual([
      'replayed=2 left=1 too_late=1 reason=unknown_mode',
    ]);
    expect(await dlq(config, 'replay')).toEqual(['replayed=1 left=0 too_late=0 reason=all']);
    expect(await dlq(config, 'replay')).toEqual(['replayed=0 left=0 too_late=0 reason=all']);
    expect(await dlq(config, 'list')).toEqual([]);
    const rows = await database.ask<{ value: Buffer }>('SELECT value FROM result_log ORDER BY log_seq');
    expect(rows.map(({ value }) => value)).toEqual([...values, ...values]);
  });

  it('brings a result that was refused for its mode into truth once the mode is declared, while servers run', async () => {
    const fixture = await createTopicFixture(2);
    onTestFinished(() => fixture.drop());
    const log = fixture.newLog();
    await log.check();
    const store = new MatchResultsPostgres({ pool: database.pool, ...boardSet });
    const newTruth = (modes = boardSet.modes) =>
      new TruthConsumer({
        store,
        deadLetters: log.deadLetters,
        log,
        boardSet: { ...boardSet, modes },
        counters: { count: () => undefined },
      });
    const before = await log.consume(fixture.group('truth'), newTruth(), 'urgent');
    const records = [1, 2, 3].map((n) => newRecord(n, { mode: 'duel' }));
    await log.append([...records, { key: 'pl-4', value: Buffer.from('{') }]);
    const config = configOf({
      RANKCAST_DATABASE_URL: databaseUrl(),
      RANKCAST_REDIS_URL: 'redis://127.0.0.1:1',
      RANKCAST_KAFKA_BROKERS: kafkaBrokers().join(','),
      RANKCAST_KAFKA_TOPIC: fixture.topic,
      RANKCAST_KAFKA_GROUP_PREFIX: fixture.topic,
    });
    await until('the dead letters', async () => (await dlq(config, 'list')).length === 4);
    await before.close();

    const [mode] = boardSet.modes;
    const declared = mode === undefined ? [] : [mode, { ...mode, mode: 'duel' }];
    const after = await log.consume(fixture.group('truth'), newTruth(declared), 'urgent');
    expect(await dlq(config, 'replay')).toEqual(['replayed=4 left=0 too_late=0 reason=all']);
    const readMatches = () => database.ask(`SELECT match_id FROM match_results WHERE mode = 'duel' ORDER BY 1`);
    await until('the results', async () => (await readMatches()).length === 3);
    await until('what is refused again', async () => (await dlq(config, 'list')).length === 1);
    const [again = ''] = await dlq(config, 'list');
    expect(JSON.parse(again)).toMatchObject({ source: log.source, reason: 'bad_json', key: 'pl-4', value: '{' });
    const { groups } = await fixture.admin.listGroups();
    const own = groups.map(({ groupId }) => groupId).filter((group) => group.startsWith(`${fixture.topic}-`));
    expect(own).toEqual([`${fixture.topic}-dlq`]);
    await after.close();
  });

  it('is refused where a server runs on the folder of the embedded database', async () => {
    const folder = await makeDataFolder();
    const server = await startEmbeddedPostgres({ dataDir: folder.path, logger: silent, durability: 'none' });
    onTestFinished(async () => {
      await server.stop();
      await folder.remove();
    });
    const refused = dlq(configOf({ RANKCAST_DATA_DIR: folder.path }), 'list');
    await expect(refused).rejects.toBeInstanceOf(StartRefusedError);
    await expect(refused).rejects.toThrow(/in use by another rankcast/);
  });
});

describe('the arguments of rankcast dlq', () => {
  it('are asked for where there are none', () => {
    expect([readDlqArguments([]), readDlqArguments(['replay', '--help'])]).toEqual([null, null]);
  });

  it.each([
    [['drop'], /not a command/],
    [['replay', 'bad_json'], /not a command/],
    [['replay', '--resaon', 'bad_json'], /--resaon/],
    [['replay', '--limit', '3'], /only for dlq list/],
    [['list', '--dry-run'], /only for dlq replay/],
    [['list', '--limit', 'many'], /from 1 on/],
  ])('%j are refused with a sentence', (args, sentence) => {
    expect(() => readDlqArguments(args)).toThrow(UsageError);
    expect(() => readDlqArguments(args)).toThrow(sentence);
  });
});
