/** The kafkajs client: bounded retries, and its chatter in our log. */

import { Kafka, type LogEntry, logLevel, type RetryOptions } from 'kafkajs';
import type { Logger } from 'pino';
import { StoreUnavailableError } from '../domain/errors.js';

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
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => write(logger, entry),
  });
}

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

/** Offsets and time stamps are 64-bit and arrive as text. */
export function parseOffset(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Kafka answered ${text} where a whole number was expected`);
  return value;
}
