/** Appends to a topic: calls are gathered, acknowledged by all in-sync replicas, and never wait for ever. */

import { type IHeaders, type Kafka, Partitioners, type Producer } from 'kafkajs';
import { Gatherer } from './gatherer.js';
import { isTooLarge, KAFKA_RETRY, RefusedRecordsError, toKafkaError } from './kafka-client.js';
import { cutBySize, MAX_REQUEST_BYTES, type ProducedRecord, sizeOfAll } from './produced-record.js';
import { settlesWithin } from './settles-within.js';

const ACKS_ALL = -1;
const ACK_TIMEOUT_MS = 5_000;
/** All tries together. The caller is a game server that waits: it is told to send again. */
const APPEND_LIMIT_MS = 12_000;

export class KafkaProducer {
  private readonly producer: Producer;
  private readonly topic: string;
  /** Answers each call the records that the broker refuses for their size. */
  private readonly gatherer: Gatherer<readonly ProducedRecord[], readonly ProducedRecord[]>;
  private connecting: Promise<void> | undefined;

  constructor(kafka: Kafka, topic: string) {
    this.topic = topic;
    this.producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      retry: KAFKA_RETRY,
    });
    this.gatherer = new Gatherer<readonly ProducedRecord[], readonly ProducedRecord[]>({
      // One request at a time: a retried one can never overtake a player's next result.
      flush: async (calls) => {
        const refused = new Set(await this.sendAll(calls.flat()));
        return calls.map((records) => (refused.size === 0 ? [] : records.filter((record) => refused.has(record))));
      },
      sizeOf: sizeOfAll,
      maxSize: MAX_REQUEST_BYTES,
    });
  }

  /**
   * Resolves once all are acknowledged. A `StoreUnavailableError` says "not surely": they may be there all the same. A
   * `RefusedRecordsError` names those that the broker refuses for their size; then all others are there.
   */
  async append(records: readonly ProducedRecord[]): Promise<void> {
    const refused: ProducedRecord[] = [];
    for (const part of cutBySize(records)) refused.push(...(await this.gatherer.add(part)));
    if (refused.length > 0) throw new RefusedRecordsError(this.topic, refused);
  }

  async close(): Promise<void> {
    await this.gatherer.settle();
    await this.connecting?.catch(() => undefined);
    await this.producer.disconnect();
  }

  /** Answers the refused records. A topic may allow less than we gather: halves are tried, down to one record alone. */
  private async sendAll(records: readonly ProducedRecord[]): Promise<readonly ProducedRecord[]> {
    try {
      await this.sendInTime(records);
      return [];
    } catch (error) {
      if (!isTooLarge(error)) throw toKafkaError(error);
      if (records.length === 1) return records;
      const half = Math.ceil(records.length / 2);
      const first = await this.sendAll(records.slice(0, half));
      return [...first, ...(await this.sendAll(records.slice(half)))];
    }
  }

  private async sendInTime(records: readonly ProducedRecord[]): Promise<void> {
    const sending = this.connectAndSend(records);
    if (!(await settlesWithin(sending, APPEND_LIMIT_MS))) {
      sending.catch(() => undefined);
      throw new Error(`no acknowledgement within ${APPEND_LIMIT_MS / 1_000} s`);
    }
    await sending;
  }

  private async connectAndSend(records: readonly ProducedRecord[]): Promise<void> {
    this.connecting ??= this.producer.connect();
    try {
      await this.connecting;
    } catch (error) {
      this.connecting = undefined;
      throw error;
    }
    await this.producer.send({
      topic: this.topic,
      acks: ACKS_ALL,
      timeout: ACK_TIMEOUT_MS,
      messages: records.map(({ key, value, headers, partition }) => ({
        key: bufferOf(key),
        value: bufferOf(value),
        ...(headers === undefined ? {} : { headers: headers as IHeaders }),
        ...(partition === undefined ? {} : { partition }),
      })),
    });
  }
}

function bufferOf(bytes: Uint8Array | string | null): Buffer | string | null {
  if (bytes === null || typeof bytes === 'string') return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
