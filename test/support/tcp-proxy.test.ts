import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TcpProxy } from './tcp-proxy.js';
import { startTcpProxy } from './tcp-proxy.js';

let proxy: TcpProxy;
let servers: Server[];

beforeEach(async () => {
  proxy = await startTcpProxy();
  servers = [];
});

afterEach(async () => {
  await proxy.close();
  for (const server of servers) server.close();
});

/** A server that greets with its name and ends nothing by itself. */
async function startGreeter(name: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).write(name)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function greet(): Promise<{ socket: Socket; greeting: string }> {
  const socket = connect(proxy.port, '127.0.0.1');
  const [greeting] = await once(socket, 'data');
  return { socket, greeting: String(greeting) };
}

test('leads to its target', async () => {
  proxy.setTarget('127.0.0.1', await startGreeter('first'));
  expect((await greet()).greeting).toBe('first');
});

test('cuts what is connected when the target changes, and leads new connections to the new one', async () => {
  proxy.setTarget('127.0.0.1', await startGreeter('first'));
  const { socket } = await greet();
  const closed = once(socket, 'close');
  proxy.setTarget('127.0.0.1', await startGreeter('second'));
  await closed;
  expect((await greet()).greeting).toBe('second');
});

test('cuts connections and keeps its target', async () => {
  proxy.setTarget('127.0.0.1', await startGreeter('first'));
  const { socket } = await greet();
  const closed = once(socket, 'close');
  proxy.cut();
  await closed;
  expect((await greet()).greeting).toBe('first');
});

test('closes connections at once while it has no target', async () => {
  await once(
    connect(proxy.port, '127.0.0.1').on('error', () => undefined),
    'close',
  );
});
