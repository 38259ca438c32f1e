/** Appends to a topic: calls are gathered, acknowledged by all in-sync replicas, and never wait for ever. */

import { type IHeaders, type Kafka, Partitioners, type Producer } from 'kafkajs';
import { Gatherer } from './gatherer.js';
import { KAFKA_RETRY, toKafkaError } from './kafka-client.js';
import { settlesWithin } from './settles-within.js';

export interface ProducedRecord {
  readonly key: Uint8Array | string | null;
  readonly value: Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const ACKS_ALL = -1;
const ACK_TIMEOUT_MS = 5_000;
/** All tries together. The caller is a game server that waits: it is told to send again. */
const APPEND_LIMIT_MS = 12_000;
/** The broker's default limit for one request is 1 MiB. */
const MAX_REQUEST_BYTES = 512 * 1_024;

export class KafkaProducer {
  private readonly producer: Producer;
  private readonly topic: string;
  private readonly gatherer: Gatherer<readonly ProducedRecord[], undefined>;
  private connecting: Promise<void> | undefined;

  constructor(kafka: Kafka, topic: string) {
    this.topic = topic;
    this.producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      retry: KAFKA_RETRY,
    });
    this.gatherer = new Gatherer({
      // One request at a time: a retried one can never overtake a player's next result.
      flush: async (calls) => {
        await this.send(calls.flat());
        return calls.map(() => undefined);
      },
      sizeOf: (records) => records.reduce((bytes, record) => bytes + sizeOf(record), 0),
      maxSize: MAX_REQUEST_BYTES,
    });
  }

  /** Resolves once all are acknowledged. A rejection says "not surely": they may be there all the same. */
  async append(records: readonly ProducedRecord[]): Promise<void> {
    if (records.length > 0) await this.gatherer.add(records);
  }

  async close(): Promise<void> {
    await this.gatherer.settle();
    await this.connecting?.catch(() => undefined);
    await this.producer.disconnect();
  }

  private async send(records: readonly ProducedRecord[]): Promise<void> {
    const sending = this.connectAndSend(records);
    if (!(await settlesWithin(sending, APPEND_LIMIT_MS))) {
      sending.catch(() => undefined);
      throw toKafkaError(new Error(`no acknowledgement within ${APPEND_LIMIT_MS / 1_000} s`));
    }
    await sending.catch((error: unknown) => {
      throw toKafkaError(error);
    });
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
      messages: records.map(({ key, value, headers }) => ({
        key: bufferOf(key),
        value: bufferOf(value),
        ...(headers === undefined ? {} : { headers: headers as IHeaders }),
      })),
    });
  }
}

function sizeOf({ key, value }: ProducedRecord): number {
  return (key?.length ?? 0) + (value?.length ?? 0) + 70;
}

function bufferOf(bytes: Uint8Array | string | null): Buffer | string | null {
  if (bytes === null || typeof bytes === 'string') return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
