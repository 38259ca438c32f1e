/** One Apache Kafka broker in KRaft mode: fetched by Maven once, then started with plain java. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { findFreePort, isOnPath, startDetached, waitUntilReady } from './child-process.js';
import { installPackages, runCommand } from './debian.js';
import { kafkaLibsDir, stackDir } from './folders.js';
import { report } from './progress.js';
import type { Service } from './state-file.js';

const KAFKA_VERSION = '4.3.1';
/** Kafka's jars come without anything that prints their log lines. */
const SLF4J_VERSION = '1.7.36';
const MIN_JAVA = 17;
const ASK_FOR_JAVA =
  'Install a Java runtime (17 or newer) and Maven to run Apache Kafka, or set RANKCAST_TEST_KAFKA_BROKERS.';

export async function startKafka(): Promise<Service> {
  if (javaVersion() < MIN_JAVA) await installJava();
  await fetchKafka();
  const dir = path.join(stackDir, 'kafka');
  // Always new: a broker keeps nothing that a test may count on.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  const port = await findFreePort();
  const propertiesFile = path.join(dir, 'server.properties');
  await writeFile(propertiesFile, describeBroker(port, await findFreePort(), path.join(dir, 'log')));
  const classPath = path.join(kafkaLibsDir, '*');
  const clusterId = randomBytes(16).toString('base64url');
  report('starting Apache Kafka');
  await runCommand('java', [
    '-cp',
    classPath,
    'kafka.tools.StorageTool',
    'format',
    // One id in 64 begins with a dash, and would be taken for another option.
    `--cluster-id=${clusterId}`,
    '-c',
    propertiesFile,
  ]);
  const logFile = path.join(dir, 'kafka.log');
  const mark = await startDetached({
    command: 'java',
    args: [
      ...['-Xmx512m', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'],
      ...['-cp', classPath, 'kafka.Kafka', propertiesFile],
    ],
    logFile,
  });
  const address = `127.0.0.1:${port}`;
  await waitUntilReady('Apache Kafka', mark, logFile, () => askKafka(address));
  return { address, label: `apache-${KAFKA_VERSION}`, mark };
}

/** librdkafka's mock broker, for a machine without Java; only where the person asked for it. */
export async function startMockKafka(): Promise<Service> {
  if (!isOnPath('kcat')) await installPackages(['kcat'], 'Install kcat for RANKCAST_TEST_MOCK_KAFKA=1.');
  await mkdir(stackDir, { recursive: true });
  const logFile = path.join(stackDir, 'mock-kafka.log');
  // It lives as long as this consumer, which waits for a topic that nobody writes to; -b is asked for and ignored.
  const mark = await startDetached({
    command: 'kcat',
    args: ['-b', '127.0.0.1:1', '-X', 'test.mock.num.brokers=1', '-d', 'mock', '-C', '-t', 'keep-alive', '-q'],
    logFile,
  });
  const address = await waitUntilReady('the mock broker', mark, logFile, async () => {
    const said = spawnSync('grep', ['-oEm1', '127\\.0\\.0\\.1:[0-9]+', logFile], { encoding: 'utf8' }).stdout.trim();
    await askKafka(said);
    return said;
  });
  return { address, label: 'librdkafka-mock', mark };
}

/** @throws when no broker answers at those addresses. */
export async function askKafka(brokers: string): Promise<void> {
  const kafka = new Kafka({
    clientId: 'rankcast-stack',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    if (cluster.brokers.length === 0) throw new Error('no broker has registered yet');
    await admin.listTopics();
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function installJava(): Promise<void> {
  await installPackages(['openjdk-17-jre-headless'], ASK_FOR_JAVA).catch(async () => {
    // Debian 13 has no Java 17; what is its default is newer.
    await installPackages(['default-jre-headless'], ASK_FOR_JAVA);
  });
}

async function fetchKafka(): Promise<void> {
  const jars: string[] = await readdir(kafkaLibsDir).catch(() => []);
  if (jars.includes(`kafka_2.13-${KAFKA_VERSION}.jar`)) return;
  if (!isOnPath('mvn')) await installPackages(['maven'], ASK_FOR_JAVA);
  report(`fetching Apache Kafka ${KAFKA_VERSION} with Maven (44 MB, once)`);
  // Complete before it has its name, so that an interrupted fetch is never taken for the whole.
  const unfinishedDir = `${kafkaLibsDir}-new`;
  await rm(unfinishedDir, { recursive: true, force: true });
  await mkdir(unfinishedDir, { recursive: true });
  await writeFile(
    path.join(unfinishedDir, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>rankcast</groupId><artifactId>test-kafka</artifactId><version>1</version><dependencies><dependency>
<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version>
</dependency><dependency>
<groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>${SLF4J_VERSION}</version>
</dependency></dependencies></project>\n`,
  );
  await runCommand('mvn', ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=jars'], unfinishedDir);
  await rm(kafkaLibsDir, { recursive: true, force: true });
  await rename(path.join(unfinishedDir, 'jars'), kafkaLibsDir);
  await rm(unfinishedDir, { recursive: true, force: true });
}

/** 0 where there is none. */
function javaVersion(): number {
  const said = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '';
  return Number(/version "(\d+)/.exec(said)?.[1] ?? 0);
}

function describeBroker(port: number, controllerPort: number, logDir: string): string {
  return [
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${controllerPort}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${port}`,
    `log.dirs=${logDir}`,
    // As in production: a topic that nobody created is a mistake, not a topic.
    'auto.create.topics.enable=false',
    // One broker can hold one copy.
    'offsets.topic.replication.factor=1',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'share.coordinator.state.topic.replication.factor=1',
    'share.coordinator.state.topic.min.isr=1',
    // Few partitions make the first consumer group quick, no delay makes every group quick.
    'offsets.topic.num.partitions=4',
    'transaction.state.log.num.partitions=4',
    'group.initial.rebalance.delay.ms=0',
    'log.cleaner.dedupe.buffer.size=16777216',
    '',
  ].join('\n');
}
