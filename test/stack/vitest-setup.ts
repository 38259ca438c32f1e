/** Vitest's global set-up: the real services before the first test, and an end to what this run started. */
import type { TestProject } from 'vitest/node';
import './provided.js';
import { enterStack, leaveStack, listAddresses, summarize } from './stack.js';

export async function setup(project: TestProject): Promise<void> {
  const stack = await enterStack();
  project.provide('stack', {
    databaseUrl: stack.postgres.address,
    redisUrl: stack.redis.address,
    kafkaBrokers: stack.kafka.address,
  });
  // For programs that tests start.
  Object.assign(process.env, Object.fromEntries(listAddresses({ ...stack })));
  // For the reporter, which has the last word.
  process.env['RANKCAST_TEST_SUMMARY'] = summarize({ ...stack });
  process.stdout.write(`${summarize({ ...stack })}\n`);
}

export async function teardown(): Promise<void> {
  await leaveStack();
}
