/** What can be known about compose.yaml without a Docker engine. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allNames, ROLES } from '../../src/config/settings.js';
import { readConfig } from '../../src/config.js';
import { readProjectFile } from './source-files.js';

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

/** With the defaults of `${NAME:-default}` filled in, as without an environment. */
function readCompose(): Compose {
  const text = readProjectFile('compose.yaml').replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
  return parse(text, { merge: true }) as Compose;
}

describe('compose.yaml', () => {
  const { services, volumes } = readCompose();
  const own = Object.entries(services).filter(([, service]) => service.build !== undefined);

  function environmentOf(service: Service | undefined): Record<string, string> {
    return Object.fromEntries(Object.entries(service?.environment ?? {}).map(([name, value]) => [name, String(value)]));
  }

  it('has a worker and two gateways beside the stores', () => {
    expect(Object.keys(services)).toEqual(['worker', 'gateway-1', 'gateway-2', 'kafka', 'redis', 'postgres']);
    expect(own.map(([name]) => name)).toEqual(['worker', 'gateway-1', 'gateway-2']);
  });

  it.each(own)('configures %s as the server takes it', (_name, service) => {
    const env = environmentOf(service);
    expect(Object.keys(env).filter((name) => !allNames().includes(name))).toEqual([]);
    const { stores } = readConfig(env);
    expect(stores.kind).toBe('full');
  });

  it('shares out all roles, sockets on two ports of the host', () => {
    const roles = own.flatMap(([, service]) => readConfig(environmentOf(service)).roles);
    expect(new Set(roles)).toEqual(new Set(ROLES));
    const { listen } = readConfig(environmentOf(services['gateway-1']));
    expect([services['gateway-1']?.ports, services['gateway-2']?.ports]).toEqual([
      [`8081:${listen.port}`],
      [`8082:${listen.port}`],
    ]);
  });

  it('gives both gateways the same secrets, plainly to be changed', () => {
    expect(environmentOf(services['gateway-1'])).toEqual(environmentOf(services['gateway-2']));
    const env = environmentOf(services['gateway-1']);
    const database = new URL(env['RANKCAST_DATABASE_URL'] ?? '');
    for (const secret of [env['RANKCAST_TOKEN_SECRET'], env['RANKCAST_INGEST_TOKEN'], database.password]) {
      expect(secret).toMatch(/^change-me/);
    }
    const lines = readProjectFile('compose.yaml').split('\n');
    expect(lines.filter((line) => line.includes('change-me') && !line.includes(':-change-me'))).toEqual([]);
  });

  it.each(own)('starts %s after the stores that it names, which say when they are ready', (_name, service) => {
    const { stores } = readConfig(environmentOf(service));
    if (stores.kind !== 'full') throw new Error('expected all stores');
    const brokers = stores.brokers.map((broker) => broker.split(':')[0] ?? '');
    const hosts = [new URL(stores.databaseUrl).hostname, new URL(stores.redisUrl).hostname, ...brokers];
    expect(Object.keys(service.depends_on ?? {}).sort()).toEqual(hosts.sort());
    for (const host of hosts) {
      expect(service.depends_on?.[host]?.condition).toBe('service_healthy');
      expect(services[host]?.healthcheck?.test[0]).toBe('CMD');
    }
  });

  it('runs a Redis that Rankcast accepts and that outlives a restart', () => {
    const command = services['redis']?.command?.join(' ');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(command).toContain('--appendonly yes');
  });

  it('makes the database that the address names', () => {
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = environmentOf(services['postgres']);
    const url = new URL(environmentOf(services['worker'])['RANKCAST_DATABASE_URL'] ?? '');
    expect([url.username, url.password, url.pathname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`]);
  });

  it('runs the Kafka that the tests run, alone and reachable by its name', () => {
    const [, version] = /KAFKA_VERSION = '([\d.]+)'/.exec(readProjectFile('test/stack/kafka-server.ts')) ?? [];
    expect(services['kafka']?.image).toBe(`apache/kafka:${version}`);
    const env = environmentOf(services['kafka']);
    expect(env['KAFKA_ADVERTISED_LISTENERS']).toContain('//kafka:9092');
    const factors = Object.entries(env).filter(([name]) => /REPLICATION_FACTOR|MIN_ISR/.test(name));
    expect(factors.length).toBeGreaterThan(0);
    expect(factors.filter(([, value]) => value !== '1')).toEqual([]);
  });

  it('declares the volumes that its services use', () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(used.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort());
  });
});
