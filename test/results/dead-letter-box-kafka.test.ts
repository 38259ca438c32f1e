import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusedError, StoreUnavailableError } from '../../src/domain/errors.js';
import type { LogRecord } from '../../src/domain/log-record.js';
import type { WaitingLetter } from '../../src/results/dead-letter-box.js';
import { KafkaDeadLetterBox } from '../../src/results/dead-letter-box-kafka.js';
import type { DeadLetter } from '../../src/results/dead-letters.js';
import { cutLetter } from '../../src/results/dead-letters-kafka.js';
import type { KafkaLog } from '../../src/results/kafka-log.js';
import { KafkaProducer } from '../../src/results/kafka-producer.js';
import type { ProducedRecord } from '../../src/results/produced-record.js';
import { createTopicFixture, type KafkaTopicFixture } from './kafka-fixture.js';
import { RecordingConsumer, until } from './log-fixture.js';

const PARTITIONS = 3;

let fixture: KafkaTopicFixture;
let log: KafkaLog;
let producer: KafkaProducer;
let box: KafkaDeadLetterBox;
let boxes: KafkaDeadLetterBox[];
beforeEach(async () => {
  fixture = await createTopicFixture(PARTITIONS);
  log = fixture.newLog();
  await log.check();
  producer = new KafkaProducer(fixture.kafka, fixture.topic);
  boxes = [];
  box = newBox();
});
afterEach(async () => {
  await Promise.all(boxes.map((one) => one.close()));
  await producer.close();
  await fixture.drop();
});

type Append = (records: readonly ProducedRecord[]) => Promise<void>;

const send: Append = (records) => producer.append(records);

/** As one process has it. */
function newBox(append: Append = send, topic = fixture.topic): KafkaDeadLetterBox {
  const made = new KafkaDeadLetterBox({ kafka: fixture.kafka, topic, group: fixture.group('dlq'), append });
  boxes.push(made);
  return made;
}

function letter(offset: number, reason: string, record: Partial<LogRecord> = {}): DeadLetter {
  const whole = { offset, key: Buffer.from('pl-1'), value: Buffer.from(`${offset}`), brokerAt: 1, ...record };
  return { source: log.source, partition: 0, record: whole, reason, detail: 'because' };
}

const offsetsOf = (letters: readonly WaitingLetter[]): (number | null)[] => letters.map(({ offset }) => offset);

async function replay(reason: string | null = null, from = box): Promise<{ sent: (number | null)[]; left: number }> {
  const sent: (number | null)[] = [];
  const left = await from.replay(reason, (letters) => sent.push(...offsetsOf(letters)));
  return { sent, left };
}

async function waiting(): Promise<WaitingLetter[]> {
  const all: WaitingLetter[] = [];
  await box.read((letters) => all.push(...letters) > 0);
  return all;
}

/** All records of the log, which has so many. */
async function logRecords(count: number): Promise<RecordingConsumer['records']> {
  const consumer = new RecordingConsumer();
  const subscription = await log.consume(fixture.group(`reader-${count}`), consumer, 'urgent');
  await until('the records', () => consumer.records.length >= count);
  await subscription.close();
  const ends = await fixture.admin.fetchTopicOffsets(fixture.topic);
  expect(ends.reduce((total, { high }) => total + Number(high), 0)).toBe(count);
  return consumer.records;
}

describe('replaying the dead letters of Kafka', () => {
  it('sends every record once, as it came: binary, without a key, with its own headers, to its own partition', async () => {
    const binary = { key: Buffer.from([0, 255, 1]), value: Buffer.from([0xc3, 0x28, 0, 10]), headers: { trace: 'é' } };
    await log.deadLetters.write([
      { ...letter(5, 'bad_utf8', binary), partition: 2 },
      { ...letter(9, 'bad_json', { key: null }), partition: 1 },
    ]);
    expect(await replay()).toEqual({ sent: [5, 9], left: 0 });
    expect(await replay()).toEqual({ sent: [], left: 0 });
    const records = await logRecords(2);
    const [first, second] = [2, 1].map((partition) => records.find((record) => record.partition === partition));
    expect(first).toMatchObject(binary);
    expect(Object.keys(first?.headers ?? {})).toEqual(['trace']);
    expect(second).toMatchObject({ key: null, value: Buffer.from('9') });
    expect(second).not.toHaveProperty('headers');
  });

  it('leaves the letters of other reasons, and sends them with the next one, in order', async () => {
    await log.deadLetters.write(['a', 'b', 'a', 'c', 'b'].map((reason, offset) => letter(offset, reason)));
    expect(await replay('b')).toEqual({ sent: [1, 4], left: 3 });
    expect(await replay('b')).toEqual({ sent: [], left: 3 });
    await log.deadLetters.write([letter(5, 'b')]);
    expect(offsetsOf(await waiting())).toEqual([0, 2, 3, 5]);
    expect(await replay('c')).toEqual({ sent: [3], left: 3 });
    expect(await replay()).toEqual({ sent: [0, 2, 5], left: 0 });
    const records = await logRecords(6);
    expect(records.map(({ value }) => Buffer.from(value ?? []).toString())).toEqual(['1', '4', '3', '0', '2', '5']);
  });

  it('repeats one piece where it dies between the append and the commit, and loses nothing where it dies before', async () => {
    await log.deadLetters.write(Array.from({ length: 1_200 }, (_, offset) => letter(offset, 'a')));
    let pieces = 0;
    const dying = newBox(async (records) => {
      await send(records);
      pieces += 1;
      if (pieces === 2) throw new Error('killed');
    });
    await expect(replay(null, dying)).rejects.toThrow('killed');
    const failing = newBox(async () => {
      throw new StoreUnavailableError('Kafka is away');
    });
    await expect(replay(null, failing)).rejects.toThrow('Kafka is away');
    const { sent, left } = await replay();
    expect({ from: sent[0], count: sent.length, left }).toEqual({ from: 500, count: 700, left: 0 });
    const records = await logRecords(1_700);
    const values = records.map(({ value }) => Number(Buffer.from(value ?? []).toString()));
    expect(values.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
    expect(values.slice(1_000)).toEqual(Array.from({ length: 700 }, (_, n) => 500 + n));
  });

  it('ends where the letters ended when it began: what is refused again waits for the next', async () => {
    await log.deadLetters.write([letter(0, 'a')]);
    const refusing = newBox(async (records) => {
      await send(records);
      await log.deadLetters.write([letter(1, 'a')]);
    });
    expect(await replay(null, refusing)).toEqual({ sent: [0], left: 0 });
    expect(offsetsOf(await waiting())).toEqual([1]);
  });

  it('never sends what was cut, and goes on showing it', async () => {
    const cut = cutLetter(letter(0, 'too_large', { value: Buffer.alloc(5_000) }), 0, 4_096);
    const letters = new KafkaProducer(fixture.kafka, `${fixture.topic}.dlq`);
    await letters.append([cut]);
    await letters.close();
    await log.deadLetters.write([letter(1, 'a')]);
    expect(await replay()).toEqual({ sent: [1], left: 1 });
    expect(await replay()).toEqual({ sent: [], left: 1 });
    expect(await waiting()).toMatchObject([{ offset: 0, truncated: 'value=5000' }]);
  });

  it('shows what waits and changes nothing', async () => {
    await log.deadLetters.write([letter(7, 'a', { key: null })]);
    const [shown] = await waiting();
    expect(shown).toMatchObject({ source: log.source, partition: 0, offset: 7, reason: 'a', detail: 'because' });
    expect(Date.parse(shown?.at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await replay()).toEqual({ sent: [7], left: 0 });
  });

  it('is refused while another one runs', async () => {
    await log.deadLetters.write([letter(0, 'a')]);
    let second: unknown;
    const slow = newBox(async (records) => {
      second = await replay().catch((error: unknown) => error);
      await send(records);
    });
    expect(await replay(null, slow)).toEqual({ sent: [0], left: 0 });
    expect(second).toBeInstanceOf(StoreUnavailableError);
    expect(String(second)).toContain('a replay runs already');
    await logRecords(1);
  });

  it('passes over letters that the topic holds no more', async () => {
    await log.deadLetters.write([0, 1, 2].map((offset) => letter(offset, 'a')));
    const topic = `${fixture.topic}.dlq`;
    // The client must have asked about the topic before it can cut it.
    await fixture.admin.fetchTopicOffsets(topic);
    await fixture.admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] });
    expect(await replay()).toEqual({ sent: [2], left: 0 });
  });

  it('says which topic there is none of', async () => {
    const lost = newBox(send, 'no-such-topic');
    await expect(replay(null, lost)).rejects.toBeInstanceOf(StartRefusedError);
    await expect(replay(null, lost)).rejects.toThrow(/no topic no-such-topic\.dlq.*RANKCAST_KAFKA_TOPIC/);
  });
});
