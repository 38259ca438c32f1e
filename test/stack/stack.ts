/** Brings the real services up, each from the environment, from what already runs, or newly started; and down again. */
import { rm } from 'node:fs/promises';
import { removeEmbeddedPostgres } from '../../src/truth/embedded/embedded-postgres.js';
import { isSameProcessAlive, stopProcess, stopStarted } from './child-process.js';
import { stackDir } from './folders.js';
import { askKafka, startKafka, startMockKafka } from './kafka-server.js';
import { askPostgres, postgresDir, startPostgres } from './postgres-server.js';
import { report } from './progress.js';
import { askRedis, startRedisServer } from './redis-server.js';
import type { Service, ServiceName, StackState } from './state-file.js';
import { enterUser, leaveUser, readState, withStackLock, writeState } from './state-file.js';

export interface Stack {
  readonly postgres: Service;
  readonly redis: Service;
  readonly kafka: Service;
}

interface Recipe {
  /** An address in this variable is used as it is, and that server is never stopped. */
  readonly variable: string;
  readonly start: () => Promise<Service>;
  /** The label of the server at that address, or null when it does not say. @throws when it does not answer. */
  readonly ask: (address: string) => Promise<string | null>;
  /** The signal by which it ends at once and in order. */
  readonly signal: NodeJS.Signals;
}

const RECIPES: Readonly<Record<ServiceName, Recipe>> = {
  postgres: {
    variable: 'RANKCAST_TEST_DATABASE_URL',
    start: startPostgres,
    ask: askPostgres,
    signal: 'SIGINT',
  },
  redis: {
    variable: 'RANKCAST_TEST_REDIS_URL',
    start: async () => {
      report('starting Redis');
      const { url, version, mark } = await startRedisServer();
      return { address: url, label: version, mark };
    },
    ask: askRedis,
    signal: 'SIGTERM',
  },
  kafka: {
    variable: 'RANKCAST_TEST_KAFKA_BROKERS',
    start: () => (process.env['RANKCAST_TEST_MOCK_KAFKA'] === '1' ? startMockKafka() : startKafka()),
    ask: async (address) => {
      await askKafka(address);
      return null;
    },
    signal: 'SIGTERM',
  },
};

export const SERVICE_NAMES: readonly ServiceName[] = ['kafka', 'redis', 'postgres'];

/** For a person: the stack runs until `stackDown`. What already runs is kept. */
export async function stackUp(): Promise<Stack> {
  return withStackLock(() => bringUp(true));
}

/** For one test run: whoever leaves last stops what was started, unless a person keeps it up. */
export async function enterStack(): Promise<Stack> {
  return withStackLock(async () => {
    await enterUser();
    return bringUp(false);
  });
}

/** The end of a test run; see `enterStack`. */
export async function leaveStack(): Promise<void> {
  await withStackLock(async () => {
    const isLast = await leaveUser();
    const state = await readState();
    if (isLast && !state.isKept) await takeDown(state);
  });
}

/** Stops what we started, whoever uses it. */
export async function stackDown(): Promise<void> {
  await withStackLock(async () => takeDown(await readState()));
}

/** `NAME=value` for each service, as tests and other checkouts take them. */
export function listAddresses(services: Partial<Record<ServiceName, Service>>): [string, string][] {
  return SERVICE_NAMES.flatMap((name): [string, string][] => {
    const service = services[name];
    return service === undefined ? [] : [[RECIPES[name].variable, service.address]];
  });
}

/** `kafka=apache-4.3.1 redis=7.0.15 postgres=18.4` */
export function summarize(services: Partial<Record<ServiceName, Service>>): string {
  return SERVICE_NAMES.map((name) => `${name}=${services[name]?.label ?? 'down'}`).join(' ');
}

async function bringUp(isKept: boolean): Promise<Stack> {
  const before = await readState();
  const services: Partial<Record<ServiceName, Service>> = { ...before.services };
  // Written after each start: whatever interrupts us, `down` finds what was started.
  const settle = async (name: ServiceName): Promise<Service> => {
    const service = await findOrStart(name, before.services[name]);
    services[name] = service;
    await writeState({ isKept: isKept || before.isKept, services });
    return service;
  };
  return { kafka: await settle('kafka'), redis: await settle('redis'), postgres: await settle('postgres') };
}

async function findOrStart(name: ServiceName, known: Service | undefined): Promise<Service> {
  const recipe = RECIPES[name];
  const given = process.env[recipe.variable];
  if (given !== undefined && given !== '' && given !== known?.address) {
    const label = await recipe.ask(given).catch((error: unknown) => {
      throw new Error(`${recipe.variable} names a server that does not answer: start it, or unset the variable.`, {
        cause: error,
      });
    });
    return { address: given, label: label ?? 'external', mark: null };
  }
  if (known?.mark && isSameProcessAlive(known.mark)) {
    if (
      await recipe.ask(known.address).then(
        () => true,
        () => false,
      )
    )
      return known;
    report(`${name} runs but does not answer; starting it again`);
    await stopProcess(known.mark, { signal: recipe.signal });
  }
  return recipe.start();
}

async function takeDown(state: StackState): Promise<void> {
  for (const name of SERVICE_NAMES) {
    const mark = state.services[name]?.mark;
    if (mark) await stopProcess(mark, { signal: RECIPES[name].signal });
  }
  await stopStarted();
  await removeEmbeddedPostgres(postgresDir);
  for (const name of ['kafka', 'redis', 'users', 'state.json']) {
    await rm(`${stackDir}/${name}`, { recursive: true, force: true });
  }
}
