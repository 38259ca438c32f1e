/** Workers of one server on one port, and nobody else on it. */

import { get } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusedError } from '../../src/domain/errors.js';
import { loadUws } from '../../src/gateway/uws.js';
import { UwsServer } from '../../src/gateway/uws-server.js';
import { BodyCollector } from '../../src/http/body.js';

const { uws } = loadUws();
const servers: UwsServer[] = [];
let port = 0;

beforeEach(async () => {
  port = await freePort();
});
afterEach(() => {
  for (const server of servers.splice(0)) server.stopListening();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<unknown>((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function listen(name: string, sharing: { isPortShared?: boolean }): Promise<UwsServer> {
  const answer = { status: 200, headers: {}, body: name };
  const http = {
    routes: [],
    respond: async () => answer,
    respondUnmatched: () => answer,
    newBody: () => new BodyCollector(),
  };
  const server = await UwsServer.listen({ uws, host: '127.0.0.1', port, ...sharing, http, sockets: null });
  servers.push(server);
  return server;
}

/** Which listener took a new connection. */
async function taker(): Promise<string> {
  return await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    }).on('error', reject);
  });
}

async function takers(count: number): Promise<Set<string>> {
  const names = new Set<string>();
  for (let index = 0; index < count; index += 1) names.add(await taker());
  return names;
}

describe('A shared port', () => {
  it('is listened on by all who say so, and each of them takes connections', async () => {
    await listen('first', { isPortShared: true });
    const second = await listen('second', { isPortShared: true });
    expect(second.port).toBe(port);
    expect([...(await takers(60))].sort()).toEqual(['first', 'second']);
  });

  it('goes on with the others when one stops listening', async () => {
    const first = await listen('first', { isPortShared: true });
    await listen('second', { isPortShared: true });
    first.stopListening();
    servers.shift();
    expect([...(await takers(20))]).toEqual(['second']);
  });

  it('is not for one that wants it alone', async () => {
    await listen('first', { isPortShared: true });
    await expect(listen('second', {})).rejects.toBeInstanceOf(StartRefusedError);
  });
});

describe('A port of its own', () => {
  it('is not for one that would share it, nor for another', async () => {
    await listen('first', {});
    await expect(listen('second', { isPortShared: true })).rejects.toBeInstanceOf(StartRefusedError);
    await expect(listen('third', { isPortShared: false })).rejects.toBeInstanceOf(StartRefusedError);
    expect([...(await takers(5))]).toEqual(['first']);
  });
});
