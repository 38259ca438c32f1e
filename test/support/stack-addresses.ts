/** Where the real services are, for test files. */
import { inject } from 'vitest';
import type { StackAddresses } from '../stack/provided.js';

/** From the global set-up; from the environment in a run without it. */
export function stackAddresses(): StackAddresses {
  const provided: StackAddresses | undefined = inject('stack');
  return (
    provided ?? {
      databaseUrl: fromEnvironment('RANKCAST_TEST_DATABASE_URL'),
      redisUrl: fromEnvironment('RANKCAST_TEST_REDIS_URL'),
      kafkaBrokers: fromEnvironment('RANKCAST_TEST_KAFKA_BROKERS'),
    }
  );
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set and vitest ran without test/stack/vitest-setup.ts: run "npm run stack -- up".`);
  }
  return value;
}
