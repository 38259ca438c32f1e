/** What is too large: bursts that no single request may bring, and records that the broker never takes. */

import type { Kafka } from 'kafkajs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordTooLargeError, StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import { cutLetter } from '../../src/results/dead-letters-kafka.js';
import type { KafkaLog } from '../../src/results/kafka-log.js';
import { KafkaProducer } from '../../src/results/kafka-producer.js';
import {
  cutBySize,
  MAX_REQUEST_BYTES,
  type ProducedRecord,
  sizeOf,
  sizeOfAll,
} from '../../src/results/produced-record.js';
import { createTopicFixture, type KafkaTopicFixture } from './kafka-fixture.js';
import { newRecord, RecordingConsumer, resultJson, until } from './log-fixture.js';

let fixture: KafkaTopicFixture;
beforeEach(async () => {
  fixture = await createTopicFixture(1);
});
afterEach(() => fixture.drop());

async function startedLog(): Promise<KafkaLog> {
  const log = fixture.newLog();
  await log.check();
  return log;
}

/** A topic that takes less than the broker's default. */
function createSmall(topic: string, maxBytes: number) {
  const stamp = { name: 'message.timestamp.type', value: 'LogAppendTime' };
  const limit = { name: 'max.message.bytes', value: String(maxBytes) };
  return fixture.admin.createTopics({
    topics: [{ topic, numPartitions: 1, configEntries: [stamp, limit] }],
    waitForLeaders: true,
  });
}

function letter(offset: number, record: Partial<LogRecord>) {
  const whole = { offset, key: null, value: null, brokerAt: 1, ...record };
  return { source: `kafka:${fixture.topic}`, partition: 0, record: whole, reason: 'bad_json', detail: 'not JSON' };
}

interface ReadLetter {
  readonly offset: string;
  readonly bytes: number;
  readonly truncated: string | undefined;
}

async function readLetters(count: number): Promise<ReadLetter[]> {
  const consumer = fixture.kafka.consumer({ groupId: fixture.group('dlq'), maxWaitTimeInMs: 10 });
  const letters: ReadLetter[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic: `${fixture.topic}.dlq`, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { headers, value } }) => {
      const truncated = headers?.['dlq-truncated']?.toString();
      letters.push({ offset: String(headers?.['dlq-offset']), bytes: value?.length ?? 0, truncated });
    },
  });
  await until('the dead letters', () => letters.length >= count);
  await consumer.disconnect();
  return letters;
}

describe('dead letters', () => {
  it('of a burst are all written, though together they are more than one request may bring', async () => {
    const log = await startedLog();
    const burst = Array.from({ length: 4_000 }, (_, offset) => letter(offset, { value: Buffer.alloc(200, '?') }));
    await log.deadLetters.write(burst);
    const letters = await readLetters(burst.length);
    expect(letters.map(({ offset }) => Number(offset))).toEqual(burst.map((_, offset) => offset));
  });

  it('are cut where a record leaves no room for the reason, and say so', async () => {
    const log = await startedLog();
    const bytes = 1_040_000;
    await log.deadLetters.write([
      letter(0, { value: Buffer.alloc(bytes) }),
      letter(1, { key: Buffer.alloc(bytes) }),
      letter(2, { headers: { large: 'x'.repeat(bytes) } }),
      letter(3, { value: Buffer.alloc(500), headers: { trace: 'abc' } }),
    ]);
    expect(await readLetters(4)).toEqual([
      { offset: '0', bytes: 512 * 1_024, truncated: `value=${bytes}` },
      { offset: '1', bytes: 0, truncated: `key=${bytes}` },
      { offset: '2', bytes: 0, truncated: expect.stringMatching(/^headers=10400\d\d$/) },
      { offset: '3', bytes: 500, truncated: undefined },
    ]);
  });

  it('are cut further for a topic that takes less, each written once', async () => {
    await createSmall(`${fixture.topic}.dlq`, 20_000);
    const log = await startedLog();
    await log.deadLetters.write([0, 1, 2].map((n) => letter(n, { value: Buffer.alloc(n === 1 ? 50_000 : 9_000) })));
    const letters = await readLetters(3);
    expect(letters.sort((a, b) => Number(a.offset) - Number(b.offset))).toEqual([
      { offset: '0', bytes: 9_000, truncated: undefined },
      { offset: '1', bytes: 4_096, truncated: 'value=50000' },
      { offset: '2', bytes: 9_000, truncated: undefined },
    ]);
  });

  it('wait for a person where their topic takes nothing, and never claim that a result is at fault', async () => {
    await createSmall(`${fixture.topic}.dlq`, 100);
    const log = await startedLog();
    await expect(log.deadLetters.write([letter(0, {})])).rejects.toBeInstanceOf(StoreUnavailableError);
  });

  it('keep what fits as it came', () => {
    const whole = { key: Buffer.from('k'), value: Buffer.from('v'), headers: { trace: 'abc' } };
    expect(cutLetter(letter(5, whole), 0, 512 * 1_024)).toMatchObject({ ...whole, headers: { trace: 'abc' } });
  });
});

describe('appending', () => {
  it('takes a call of several megabytes for one player', async () => {
    const log = await startedLog();
    const scopes = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`scope-${n}`, 'x'.repeat(64)]));
    const call = Array.from({ length: 1_500 }, (_, n) => ({
      key: 'pl-1',
      value: resultJson({ matchId: `m-${n}`, scopes }),
    }));
    expect(sizeOfAll(call)).toBeGreaterThan(2_000_000);
    await log.append(call);
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    await until('all records', () => consumer.records.length === call.length);
    expect(consumer.matchIds()).toEqual(call.map((_, n) => `m-${n}`));
  });

  it('never sends more than half a megabyte in one request', async () => {
    const sizes: number[] = [];
    const fake = {
      connect: async () => undefined,
      disconnect: async () => undefined,
      send: async ({ messages }: { readonly messages: readonly ProducedRecord[] }) => sizes.push(sizeOfAll(messages)),
    };
    const producer = new KafkaProducer({ producer: () => fake } as unknown as Kafka, 't');
    const record = { key: 'pl-1', value: Buffer.alloc(300), headers: { reason: 'x'.repeat(300) } };
    await producer.append(Array.from({ length: 3_000 }, () => record));
    await producer.close();
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_REQUEST_BYTES);
  });

  it('refuses what the broker refuses for its size, for good, and takes the neighbours of other calls', async () => {
    await createSmall(fixture.topic, 10_000);
    const log = await startedLog();
    const large = { key: 'pl-1', value: Buffer.alloc(20_000) };
    const calls = [[newRecord(0)], [newRecord(1), large, newRecord(2)], [newRecord(3)]];
    const [before, refused, after] = await Promise.allSettled(calls.map((call) => log.append(call)));
    expect([before?.status, after?.status]).toEqual(['fulfilled', 'fulfilled']);
    const reason: unknown = refused?.status === 'rejected' ? refused.reason : undefined;
    expect(reason).toBeInstanceOf(RecordTooLargeError);
    expect(reason).toMatchObject({ isRetryable: false, message: expect.stringContaining('max.message.bytes') });
    const consumer = new RecordingConsumer();
    await log.consume(fixture.group('g'), consumer, 'urgent');
    await until('the neighbours', () => consumer.records.length === 4);
    expect(consumer.matchIds()).toEqual(['m-0', 'm-1', 'm-2', 'm-3']);
  });
});

describe('cutting by size', () => {
  it('counts headers, keeps the order, and takes a record that is too large alone', () => {
    const record = (bytes: number) => ({ key: null, value: null, headers: { h: 'x'.repeat(bytes) } });
    const records = [300_000, 300_000, 100_000, 600_000, 5].map(record);
    const parts = cutBySize(records);
    expect(parts.flat()).toEqual(records);
    expect(parts.map(({ length }) => length)).toEqual([1, 2, 1, 1]);
    for (const part of parts) if (part.length > 1) expect(sizeOfAll(part)).toBeLessThanOrEqual(MAX_REQUEST_BYTES);
    expect(sizeOf(record(0))).toBeGreaterThan(70);
    expect(cutBySize([])).toEqual([]);
  });
});
