/** Sends results to Kafka, several requests in flight, acknowledged by all; keeps what was acknowledged, for the reckoning. */

import { type Kafka, Partitioners, type Producer } from 'kafkajs';
import { type SentResult, SentResults } from './sent-results.js';

const ACKS_ALL = -1;
const ACK_TIMEOUT_MS = 10_000;

export class ResultProducer {
  readonly acknowledged = new SentResults();
  /** How many results were handed to `send`. */
  produced = 0;
  /** Why results were not acknowledged; each may have arrived all the same. */
  readonly failures: string[] = [];
  private readonly producer: Producer;
  private readonly inFlight = new Set<Promise<boolean>>();

  constructor(
    kafka: Kafka,
    private readonly topic: string,
    private readonly mode: string,
  ) {
    this.producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
    });
  }

  connect(): Promise<void> {
    return this.producer.connect();
  }

  /**
   * One request, on its way at once: the open loop must not wait for answers. Answers whether it was acknowledged;
   * never rejects.
   */
  send(results: readonly SentResult[]): Promise<boolean> {
    this.produced += results.length;
    const sending = this.sendAll(results).then(
      () => {
        this.acknowledged.add(results);
        return true;
      },
      (error: unknown) => {
        this.failures.push(error instanceof Error ? error.message : String(error));
        return false;
      },
    );
    this.inFlight.add(sending);
    void sending.then(() => this.inFlight.delete(sending));
    return sending;
  }

  /** Resolves when every request has been answered or given up; kafkajs bounds both. */
  async settle(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  close(): Promise<void> {
    return this.producer.disconnect();
  }

  private async sendAll(results: readonly SentResult[]): Promise<void> {
    const { topic, mode } = this;
    const messages = results.map(({ matchId, playerId, points, achievedAt }) => ({
      // The player's key keeps his results in order, in one partition.
      key: playerId,
      value: JSON.stringify({ matchId, playerId, mode, points, achievedAt }),
    }));
    await this.producer.send({ topic, acks: ACKS_ALL, timeout: ACK_TIMEOUT_MS, messages });
  }
}
