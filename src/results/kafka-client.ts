/** The kafkajs client: bounded retries, and its chatter in our log. */

import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ISocketFactory, Kafka, type LogEntry, logLevel, type RetryOptions } from 'kafkajs';
import type { Logger } from 'pino';
import { RecordTooLargeError, StoreUnavailableError } from '../domain/errors.js';
import { parseSafeInteger } from '../domain/safe-integer.js';
import type { ProducedRecord } from './produced-record.js';

/** Given everywhere: the library's defaults wait up to 30 s between tries, and differ when NODE_ENV says test. */
export const KAFKA_RETRY: RetryOptions = {
  initialRetryTime: 100,
  maxRetryTime: 1_000,
  factor: 0.2,
  multiplier: 2,
  retries: 5,
};

export interface KafkaClientOptions {
  /** `host:port`. */
  readonly brokers: readonly string[];
  readonly logger: Logger;
}

export function createKafka({ brokers, logger }: KafkaClientOptions): Kafka {
  return new Kafka({
    clientId: 'rankcast',
    brokers: [...brokers],
    connectionTimeout: 3_000,
    requestTimeout: 8_000,
    retry: KAFKA_RETRY,
    socketFactory,
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => write(logger, entry),
  });
}

/** As the library's own, but a small request never waits for the acknowledgement of the one before (Nagle). */
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const address = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
  return ssl ? connectTls({ ...address, servername: host, ...ssl }, onConnect) : connectTcp(address, onConnect);
};

/** Its errors are followed by a retry and reported by us where they matter; its infos are about every pause. */
function write(logger: Logger, { namespace, level, log }: LogEntry): void {
  const { message, timestamp: _timestamp, stack: _stack, logger: _name, ...details } = log;
  const line = `kafka ${namespace.toLowerCase()}: ${message}`;
  if (level === logLevel.ERROR || level === logLevel.WARN) logger.warn(details, line);
  else logger.debug(details, line);
}

export function toKafkaError(error: unknown): StoreUnavailableError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(`Kafka cannot be used now: ${reason}`, { cause: error });
}

const TOO_LARGE: readonly unknown[] = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'];

/** The broker's word about what was sent, not about itself: another try ends the same. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'type' in error && TOO_LARGE.includes(error.type);
}

export class RefusedRecordsError extends RecordTooLargeError {
  constructor(
    topic: string,
    readonly records: readonly ProducedRecord[],
  ) {
    super(
      `Kafka refuses ${records.length} record(s) as too large for the topic ${topic}: send less, or raise its max.message.bytes`,
    );
  }
}

/** Offsets and time stamps are 64-bit and arrive as text. */
export function parseOffset(text: string): number {
  return parseSafeInteger(text, 'an offset or time stamp of Kafka');
}
