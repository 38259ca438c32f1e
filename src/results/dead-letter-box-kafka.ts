/** Dead letters in the topic `<topic>.dlq`; what of them was sent again is remembered by the consumer group `<prefix>-dlq`. */

import { randomUUID } from 'node:crypto';
import type { Admin, IHeaders, Kafka, KafkaMessage } from 'kafkajs';
import { RankcastError, StartRefusedError, StoreUnavailableError } from '../domain/errors.js';
import { type DeadLetterBox, isReplayed, type WaitingLetter } from './dead-letter-box.js';
import { isWaiting, type LetterPosition, metadataOf, movedTo, readPosition } from './dead-letter-position.js';
import { SESSION_MS, TopicReader } from './dead-letter-reader.js';
import type { LogRange } from './feed-options.js';
import { parseOffset, toKafkaError } from './kafka-client.js';
import { deadLetterTopic } from './kafka-topics.js';
import type { ProducedRecord } from './produced-record.js';

export interface KafkaDeadLetterBoxOptions {
  readonly kafka: Kafka;
  /** Of the results; the letters are in `<topic>.dlq`. */
  readonly topic: string;
  /** Usually `<prefix>-dlq`. */
  readonly group: string;
  /** To the topic of the results; resolves once all are durable. */
  readonly append: (records: readonly ProducedRecord[]) => Promise<void>;
}

/** A letter and the record that it is about. */
interface FoundLetter {
  readonly letter: WaitingLetter;
  /** In the topic of the letters. */
  readonly letterOffset: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Waiting {
  readonly ranges: ReadonlyMap<number, LogRange>;
  readonly positions: Map<number, LetterPosition>;
}

const OWN_HEADERS = 'dlq-';

export class KafkaDeadLetterBox implements DeadLetterBox {
  private readonly options: KafkaDeadLetterBoxOptions;
  private readonly letterTopic: string;
  private readonly admin: Admin;
  private readonly connected: Promise<void>;

  constructor(options: KafkaDeadLetterBoxOptions) {
    this.options = options;
    this.letterTopic = deadLetterTopic(options.topic);
    this.admin = options.kafka.admin();
    this.connected = this.admin.connect();
    this.connected.catch(() => undefined);
  }

  async read(look: (letters: readonly WaitingLetter[]) => boolean): Promise<void> {
    const { kafka, group } = this.options;
    const { ranges, positions } = await this.ask(() => this.findWaiting());
    // A group of its own: it commits nothing, and a replay may run meanwhile.
    const lookers = `${group}-look-${randomUUID()}`;
    await TopicReader.read({
      kafka,
      topic: this.letterTopic,
      group: lookers,
      ranges,
      take: async ({ partition, messages }) => {
        const found = waitingAmong(messages, positions.get(partition));
        return found.length === 0 || look(found.map(({ letter }) => letter));
      },
    });
    await this.admin.deleteGroups([lookers]).catch(() => undefined);
  }

  async replay(reason: string | null, sent: (letters: readonly WaitingLetter[]) => void): Promise<number> {
    const { kafka, group, append, topic } = this.options;
    await this.ask(() => this.refuseSecond());
    const { ranges, positions } = await this.ask(() => this.findWaiting());
    const partitions = await this.ask(() => this.rangesOf(topic));
    const firstLeft = new Map<number, number>();
    let left = 0;
    await TopicReader.read({
      kafka,
      topic: this.letterTopic,
      group,
      ranges,
      take: async ({ partition, messages, to, commit }) => {
        const position = positions.get(partition) ?? readPosition(-1, null, 0);
        const waiting = waitingAmong(messages, position);
        const chosen = waiting.filter(({ letter }) => isReplayed(letter, reason));
        const others = waiting.filter(({ letter }) => !isReplayed(letter, reason));
        if (chosen.length > 0) await append(chosen.map((found) => this.recordOf(found, partitions)));
        const first = firstLeft.get(partition) ?? others[0]?.letterOffset;
        if (first !== undefined) firstLeft.set(partition, first);
        const moved = movedTo(position, reason, to, first ?? to);
        // After the append: who dies in between sends this piece again, which a result knows by its identity.
        await commit(moved.first, metadataOf(moved));
        positions.set(partition, moved);
        left += others.length;
        sent(chosen.map(({ letter }) => letter));
        return true;
      },
    });
    return left;
  }

  async close(): Promise<void> {
    await this.connected.catch(() => undefined);
    await this.admin.disconnect();
  }

  private async findWaiting(): Promise<Waiting> {
    const all = await this.rangesOf(this.letterTopic);
    const [committed] = await this.admin.fetchOffsets({ groupId: this.options.group, topics: [this.letterTopic] });
    const positions = new Map<number, LetterPosition>();
    for (const { partition, offset, metadata } of committed?.partitions ?? []) {
      positions.set(partition, readPosition(Number(offset), metadata, all.get(partition)?.end ?? 0));
    }
    const ranges = [...all].map(([partition, { low, end }]) => {
      return [partition, { low: Math.max(low, positions.get(partition)?.first ?? 0), end }] as const;
    });
    return { ranges: new Map(ranges), positions };
  }

  private async rangesOf(topic: string): Promise<Map<number, LogRange>> {
    const topics = await this.admin.listTopics();
    if (!topics.includes(topic)) {
      throw new StartRefusedError(
        `Kafka has no topic ${topic}: name the topic of the results in RANKCAST_KAFKA_TOPIC, or start a server, which makes both`,
      );
    }
    const offsets = await this.admin.fetchTopicOffsets(topic);
    return new Map(
      offsets.map(({ partition, low, high }) => [partition, { low: parseOffset(low), end: parseOffset(high) }]),
    );
  }

  private async refuseSecond(): Promise<void> {
    const { group } = this.options;
    const { groups } = await this.admin.describeGroups([group]);
    if (!groups.some(({ members }) => members.length > 0)) return;
    throw new StoreUnavailableError(
      `a replay runs already, as the group ${group}: let it end (one that was killed is forgotten after ${SESSION_MS / 1_000} s)`,
    );
  }

  /** Back to its own partition: another would let it overtake what its player did since, or look like a second copy. */
  private recordOf({ letter, headers }: FoundLetter, partitions: ReadonlyMap<number, LogRange>): ProducedRecord {
    const { key, value, partition, source } = letter;
    const isKnown = partition !== null && partitions.has(partition) && source === `kafka:${this.options.topic}`;
    return { key, value, headers, ...(isKnown ? { partition } : {}) };
  }

  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      await this.connected;
      return await question();
    } catch (error) {
      throw error instanceof RankcastError ? error : toKafkaError(error);
    }
  }
}

function waitingAmong(messages: readonly KafkaMessage[], position: LetterPosition | undefined): FoundLetter[] {
  const found = messages.map(readLetter);
  if (position === undefined) return found;
  return found.filter(({ letter, letterOffset }) =>
    isWaiting(position, letterOffset, letter.reason, letter.truncated !== null),
  );
}

function readLetter({ key, value, offset, timestamp, headers = {} }: KafkaMessage): FoundLetter {
  const own = (name: string): string | null => textOf(headers[`${OWN_HEADERS}${name}`]);
  const letter: WaitingLetter = {
    source: `kafka:${own('topic') ?? ''}`,
    partition: numberOf(own('partition')),
    offset: numberOf(own('offset')),
    reason: own('reason') ?? 'unknown',
    detail: own('detail') ?? '',
    at: own('at') ?? new Date(parseOffset(timestamp)).toISOString(),
    key,
    value,
    truncated: own('truncated'),
  };
  const others = Object.entries(headers).filter(([name]) => !name.startsWith(OWN_HEADERS));
  const kept = others.map(([name, text]) => [name, textOf(text) ?? ''] as const);
  return { letter, letterOffset: parseOffset(offset), headers: Object.fromEntries(kept) };
}

function textOf(value: IHeaders[string]): string | null {
  return value === undefined ? null : String(value);
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
