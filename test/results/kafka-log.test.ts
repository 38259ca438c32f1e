import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import { KafkaLog } from '../../src/results/kafka-log.js';
import { silent } from '../truth/truth-database.js';
import { createTopicFixture, type KafkaTopicFixture } from './kafka-fixture.js';
import { newRecord, RecordedReports, RecordingConsumer, resultJson, until } from './log-fixture.js';
import { snappyLiterals } from './snappy.js';

const PARTITIONS = 3;

let fixture: KafkaTopicFixture;
beforeEach(async () => {
  fixture = await createTopicFixture(PARTITIONS);
});
afterEach(() => fixture.drop());

async function startedLog(): Promise<KafkaLog> {
  const log = fixture.newLog();
  await log.check();
  return log;
}

const sum = (map: ReadonlyMap<number, number>) => [...map.values()].reduce((total, n) => total + n, 0);

describe('the topic', () => {
  it('is created with the broker as its clock, and its dead letters beside it', async () => {
    const log = await startedLog();
    await log.check();
    const { topics } = await fixture.admin.fetchTopicMetadata({ topics: [fixture.topic, `${fixture.topic}.dlq`] });
    expect(topics.map(({ partitions }) => partitions.length).sort()).toEqual([1, PARTITIONS]);
  });

  it('is refused where producers stamp its records, with the command that mends it', async () => {
    await fixture.admin.createTopics({ topics: [{ topic: fixture.topic, numPartitions: 1 }] });
    const check = fixture.newLog().check();
    await expect(check).rejects.toBeInstanceOf(StartRefusedError);
    await expect(check).rejects.toThrow(/message\.timestamp\.type=CreateTime.*--add-config/);
  });

  it('cannot be checked without a broker, and that may pass', async () => {
    const reports = new RecordedReports();
    const options = { brokers: ['127.0.0.1:1'], partitions: 1, replicationFactor: 1, reports, logger: silent };
    const log = new KafkaLog({ ...options, topic: fixture.topic });
    await expect(log.check()).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(log.append([newRecord(1)])).rejects.toBeInstanceOf(StoreUnavailableError);
    await log.close();
  });
});

describe('appending to Kafka', () => {
  it('puts a record into the partition that it names, and others into that of their key', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('named'), consumer, 'urgent');
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    await log.append([newRecord(1), ...partitions.map((partition) => ({ ...newRecord(1), partition })), newRecord(1)]);
    await until('all records', () => consumer.records.length >= PARTITIONS + 2);
    const counts = partitions.map((one) => consumer.records.filter(({ partition }) => partition === one).length);
    expect(counts.sort()).toEqual([...partitions.slice(1).map(() => 1), 3]);
  });
});

describe('consuming from Kafka', () => {
  it("brings every record once, each player's in order, with the broker's stamp, and starts where its consumer says", async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    const before = Date.now();
    const first = await log.consume(fixture.group('g'), consumer, 'urgent');
    const ids = Array.from({ length: 300 }, (_, n) => `m-${n}`);
    await Promise.all(ids.map((_, n) => log.append([newRecord(n)])));
    await until('all records', () => consumer.records.length >= ids.length);
    expect(consumer.matchIds().sort()).toEqual([...ids].sort());
    for (let partition = 0; partition < PARTITIONS; partition += 1) {
      const offsets = consumer.records.filter((record) => record.partition === partition).map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.map((_, index) => index));
    }
    const own = consumer.records.filter(({ key }) => Buffer.from(key ?? []).toString() === 'pl-3');
    expect(own.map(({ value }) => JSON.parse(Buffer.from(value ?? []).toString()).matchId)).toEqual(
      ids.filter((_, n) => n % 7 === 3),
    );
    for (const { brokerAt } of consumer.records) {
      expect(brokerAt).toBeGreaterThanOrEqual(before - 1_000);
      expect(brokerAt).toBeLessThanOrEqual(Date.now() + 1_000);
    }
    await until('lag 0', () => sum(fixture.reports.lags) === 0);

    await until('offsets for monitors', async () => {
      const [committed] = await fixture.admin.fetchOffsets({ groupId: fixture.group('g'), topics: [fixture.topic] });
      const total = committed?.partitions.reduce((all, { offset }) => all + Math.max(0, Number(offset)), 0);
      return total === ids.length;
    });
    await first.close();
    const fresh = new RecordingConsumer();
    for (let partition = 0; partition < PARTITIONS; partition += 1) fresh.next.set(partition, 5);
    await log.consume(fixture.group('g'), fresh, 'urgent');
    await until('all but the first five of each partition', () => fresh.records.length === ids.length - 5 * PARTITIONS);
  });

  it('goes on after its consumer failed for a while, without losing or skipping', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    consumer.failure = new StoreUnavailableError('the database is away');
    await log.append(Array.from({ length: 50 }, (_, n) => newRecord(n)));
    await until('not ready', () => fixture.reports.problems.get(fixture.group('g')) === 'the database is away');
    await log.append(Array.from({ length: 50 }, (_, n) => newRecord(50 + n)));
    consumer.failure = new TypeError('a bug');
    await until('a bug', () => fixture.reports.problems.get(fixture.group('g')) === 'a bug');
    consumer.failure = undefined;
    await until('all records', () => consumer.records.length >= 100);
    expect(new Set(consumer.matchIds()).size).toBe(100);
    expect(consumer.records).toHaveLength(100);
    await until('ready', () => fixture.reports.problems.get(fixture.group('g')) === null);
  });

  it('reads again when the store of its consumer went back', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    await log.append(Array.from({ length: 30 }, (_, n) => newRecord(n)));
    await until('all records', () => consumer.records.length === 30);
    const [partition] = [...consumer.next].find(([, next]) => next > 2) ?? [0];
    const total = consumer.next.get(partition) ?? 0;
    consumer.next.set(partition, 1);
    await until('again', () => consumer.records.length === 30 + total - 1);
  });

  it('moves partitions between members without losing any', async () => {
    const store = new RecordingConsumer();
    const one = await startedLog();
    const first = await one.consume(fixture.group('g'), store, 'urgent');
    await one.append(Array.from({ length: 50 }, (_, n) => newRecord(n)));
    const two = fixture.newLog();
    await two.consume(fixture.group('g'), store, 'urgent');
    await one.append(Array.from({ length: 50 }, (_, n) => newRecord(50 + n)));
    await until('all records', () => store.records.length >= 100);
    await first.close();
    await two.append(Array.from({ length: 50 }, (_, n) => newRecord(100 + n)));
    await until('all records', () => store.records.length >= 150);
    expect(store.records).toHaveLength(150);
    expect(new Set(store.matchIds()).size).toBe(150);
  });

  it('applies nothing twice when a rebalance comes in the middle of a batch (A15)', async () => {
    const store = new RecordingConsumer();
    const one = await startedLog();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    // Which, not how many: on a slow machine the group may be joined anew meanwhile, and a batch is offered again.
    const underWay = new Set<number>();
    await one.consume(
      fixture.group('g'),
      {
        positions: (source, partitions) => store.positions(source, partitions),
        consume: async (batch) => {
          if (batch.records.length > 0) underWay.add(batch.partition);
          await gate;
          return store.consume(batch);
        },
      },
      'urgent',
    );
    await one.append(Array.from({ length: 40 }, (_, n) => newRecord(n)));
    await until('a batch of every partition under way', () => underWay.size === PARTITIONS);
    await fixture.newLog().consume(fixture.group('g'), store, 'urgent');
    await until('the second member has taken some over', () => store.records.length > 0);
    open();
    await until('all records', () => store.records.length >= 40);
    await one.append(Array.from({ length: 40 }, (_, n) => newRecord(40 + n)));
    await until('all records', () => store.records.length >= 80);
    expect(store.records).toHaveLength(80);
    expect(new Set(store.matchIds()).size).toBe(80);
  });

  it('refuses a topic that was made anew under its positions', async () => {
    const log = await startedLog();
    await log.append([newRecord(1)]);
    const consumer = new RecordingConsumer();
    consumer.next.set(0, 500);
    await expect(log.consume(fixture.group('g'), consumer, 'urgent')).rejects.toThrow(/topic recreated/);
  });

  it('counts what retention took away, at the start and while it is paused, and goes on', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.append(Array.from({ length: 60 }, () => newRecord(3)));
    const full = (await fixture.admin.fetchTopicOffsets(fixture.topic)).find(({ high }) => high === '60');
    const partition = full?.partition ?? -1;
    const cutBelow = (offset: number) =>
      fixture.admin.deleteTopicRecords({ topic: fixture.topic, partitions: [{ partition, offset: String(offset) }] });
    await cutBelow(20);
    await log.consume(fixture.group('g'), consumer, 'urgent');
    await until('the rest', () => consumer.records.length === 40);
    expect(fixture.reports.lostRecords).toBe(20);

    consumer.failure = new StoreUnavailableError('away');
    await log.append(Array.from({ length: 20 }, () => newRecord(3)));
    await until('failing', () => fixture.reports.problems.get(fixture.group('g')) === 'away');
    await cutBelow(70);
    consumer.failure = undefined;
    await until('the rest', () => consumer.records.length === 50);
    expect(fixture.reports.lostRecords).toBe(30);
    expect(consumer.next.get(partition)).toBe(80);
  });

  it('passes over the control records of transactions, aborted ones too', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    const producer = fixture.kafka.producer({
      transactionalId: fixture.group('tx'),
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    const send = async (n: number, isKept: boolean) => {
      const transaction = await producer.transaction();
      const value = resultJson({ matchId: `m-${n}` });
      await transaction.send({ topic: fixture.topic, messages: [{ partition: 0, value }] });
      await (isKept ? transaction.commit() : transaction.abort());
    };
    for (const n of [1, 2, 3, 4, 5, 6]) await send(n, n === 1 || n === 6);
    await producer.disconnect();
    await log.append(Array.from({ length: 14 }, (_, n) => newRecord(100 + n)));
    await until('all that was kept', () => consumer.records.length >= 16);
    expect(consumer.records).toHaveLength(16);
    expect(consumer.matchIds(0).slice(0, 2)).toEqual(['m-1', 'm-6']);
    expect(fixture.reports.lostRecords).toBe(0);
  });

  it('is not ready, naming the codec, while it cannot read what another producer compresses', async () => {
    const log = await startedLog();
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    await log.append([newRecord(3)]);
    await until('the first', () => consumer.records.length === 1);
    const partition = consumer.records[0]?.partition ?? -1;
    const snappy = CompressionCodecs[CompressionTypes.Snappy];
    const producer = fixture.kafka.producer();
    await producer.connect();
    CompressionCodecs[CompressionTypes.Snappy] = () => ({
      compress: async (encoder: { buffer: Buffer }) => snappyLiterals(encoder.buffer),
      decompress: async () => Promise.reject(new Error('not used')),
    });
    const messages = [{ partition, value: resultJson({ matchId: 'compressed' }) }];
    await producer.send({ topic: fixture.topic, compression: CompressionTypes.Snappy, messages }).finally(() => {
      CompressionCodecs[CompressionTypes.Snappy] = snappy;
    });
    await producer.disconnect();
    const problem = () => fixture.reports.problems.get(fixture.group('g')) ?? '';
    await until('not ready', () => /Snappy compression, which this server cannot read/.test(problem()));
    await log.append([newRecord(3)]);
    await fixture.admin.fetchTopicOffsets(fixture.topic);
    await fixture.admin.deleteTopicRecords({ topic: fixture.topic, partitions: [{ partition, offset: '2' }] });
    await until('the next', () => consumer.records.length === 2);
    await until('ready', () => problem() === '');
    expect(consumer.records.map(({ offset }) => offset)).toEqual([0, 2]);
    expect(fixture.reports.lostRecords).toBe(1);
  });
});
