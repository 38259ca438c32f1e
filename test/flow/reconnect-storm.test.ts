/**
 * 2,000 clients lose their server at once and come back without holding up each other or the results (case A24).
 *
 * Set up: one gateway, 2,000 SDK clients on the top, results all the time. Act: it is stopped, or killed, and started again.
 * Expect: told clients spread over 15 s; after a kill the new server takes them at its pace; all are back within 60 s; the
 * board is read once for all of them, and whoever is there already is answered meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FrameType, SUBPROTOCOL } from '../../proto/frames.js';
import { type Client, createClient, type View } from '../../src/client/index.js';
import { readFrames } from '../../src/client/read-frame.js';
import type { SocketConstructor } from '../../src/client/transport.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { type ServerProcess, startServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { type Flow, startFlow } from './flow.js';
import { makePlayers, makeResults } from './matches.js';

const CLIENTS = 2_000;
const TOP = 10;
const BACK_WITHIN_MS = 60_000;

let flow: Flow;
let server: ServerProcess;
let clients: Client[] = [];
/** By client: `performance.now()` of each. */
let tries: number[][] = [];

beforeEach(async () => {
  flow = await startFlow();
  await flow.startWorker();
  await flow.produce(makeResults(makePlayers(100), 500));
  // Below those that the system gives to outgoing connections: one of 2,000 that try a closed port would get it itself.
  server = await startGateway(20_000 + Math.floor(Math.random() * 10_000));
  tries = [];
  clients = Array.from({ length: CLIENTS }, () =>
    createClient({ url: `http://127.0.0.1:${server.port}`, WebSocket: timedSocket() }),
  );
  const views: View<unknown>[] = clients.map((client) => client.top('arena', { limit: TOP }));
  await Promise.all(views.map((view) => view.ready()));
  // Only a session that has lasted begins with short waits again.
  await sleep(5_000);
  for (const times of tries) times.length = 0;
});
afterEach(async () => {
  for (const client of clients) client.close();
  await server.stop();
  await flow.close();
});

test('told clients come back spread over 15 s', { timeout: 120_000 }, async () => {
  const lostAt = performance.now();
  await server.stop();
  await comeBack('stop', lostAt);
  const firsts = tries.map(([first = lostAt]) => Math.floor((first - lostAt) / 1_000));
  expect(largestCount(firsts)).toBeLessThanOrEqual(CLIENTS / 10);
});

test('clients of a killed server come back at its pace', { timeout: 120_000 }, async () => {
  const lostAt = performance.now();
  await server.kill();
  await comeBack('kill', lostAt);
});

async function comeBack(what: string, lostAt: number): Promise<void> {
  server = await startGateway(server.port ?? 0);
  const upAt = performance.now();
  const bystander = await Bystander.connect(server.port ?? 0);
  await until(() => expect(clients.filter(({ state }) => state !== 'live')).toHaveLength(0), BACK_WITHIN_MS);
  const backAt = performance.now();
  const pings = bystander.close();
  const metrics = await (await fetch(`http://127.0.0.1:${server.adminPort}/metrics`)).text();
  const value = (name: string): number =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')[1] ?? 0,
    );
  const figures = {
    upAfterMs: Math.round(upAt - lostAt),
    backAfterMs: Math.round(backAt - lostAt),
    tries: tries.flat().length,
    refused: value('rankcast_handshakes_refused_total{reason="server-too-fast"}'),
    pingP99Ms: Math.round(percentile(pings, 0.99)),
    loopDelayMaxMs: Math.round(1_000 * value('rankcast_event_loop_delay_seconds{quantile="1"}')),
  };
  console.info(what, JSON.stringify(figures));
  expect(value('rankcast_redis_seconds_count{script="read-range-1"}')).toBe(1);
  expect(figures.pingP99Ms).toBeLessThan(500);
}

async function startGateway(port: number): Promise<ServerProcess> {
  return await startServer({
    ...flow.env,
    RANKCAST_ROLES: 'gateway,intake',
    RANKCAST_PORT: String(port),
    // All of them come from one address here.
    RANKCAST_LIMIT_SOCKETS_PER_ADDRESS: '10000',
    RANKCAST_LIMIT_CONNECTS_PER_ADDRESS: '100000',
    RANKCAST_LIMIT_CONNECTS: '500',
  });
}

/** A socket of one client, which notes when each try was made. */
function timedSocket(): SocketConstructor {
  const times: number[] = [];
  tries.push(times);
  return class extends WebSocket {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols);
      times.push(performance.now());
    }
  };
}

/** Is connected before the others, and asks the server for a sign of life again and again. */
class Bystander {
  private readonly delays: number[] = [];
  private askedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly socket: WebSocket) {}

  static async connect(port: number): Promise<Bystander> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, [SUBPROTOCOL]);
    const bystander = new Bystander(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    socket.on('message', (bytes: Buffer) => bystander.receive(bytes));
    socket.send(encodeFrame([FrameType.hello, null, 'bystander/1', 3]));
    return bystander;
  }

  close(): readonly number[] {
    clearTimeout(this.timer);
    this.socket.terminate();
    return this.delays;
  }

  private receive(bytes: Buffer): void {
    for (const [type] of readFrames(bytes)) {
      if (type === FrameType.pong) this.delays.push(performance.now() - this.askedAt);
      // Within the limit of frames.
      if (type === FrameType.welcome || type === FrameType.pong) this.timer = setTimeout(() => this.ask(), 350);
    }
  }

  private ask(): void {
    this.askedAt = performance.now();
    this.socket.send(encodeFrame([FrameType.ping, 1]));
  }
}

function largestCount(values: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Math.max(...counts.values());
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}
