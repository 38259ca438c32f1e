import type { AddressInfo } from 'node:net';
import { Packr } from 'msgpackr';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createClient } from '../../src/client/index.js';
import { decodeFrame } from '../../src/wire/decode.js';
import { namesOf, subscribed, topSnapshot, welcome } from './support/session.js';

const packr = new Packr({ useRecords: false, variableMapSize: true, encodeUndefinedAsNil: true });
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

describe('with the ws package', () => {
  it('speaks the protocol over a real socket, and comes back after the server cut it', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols: ([first]) => first ?? false });
    cleanUps.push(() => server.close());
    let connections = 0;
    server.on('connection', (socket) => {
      connections += 1;
      const count = connections;
      socket.on('message', (bytes: Buffer) => {
        const frame = decodeFrame(bytes) as unknown[];
        if (frame[0] === 1) socket.send(packr.pack(welcome()));
        if (frame[0] !== 16) return;
        socket.send(packr.pack(subscribed(frame[1], 7, 0, count, 1)));
        socket.send(packr.pack(topSnapshot(7, count, 1, [[1, 5, `life-${count}`]])));
        if (count === 1) setImmediate(() => socket.terminate());
      });
    });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ url: `http://127.0.0.1:${port}`, WebSocket, random: () => 0 });
    cleanUps.push(() => client.close());
    const top = client.top('arena');
    await top.ready();
    await new Promise<void>((resolve) => {
      const off = top.subscribe(() => {
        if (top.current?.epoch !== 2) return;
        off();
        resolve();
      });
    });
    expect(namesOf(top.current)).toEqual(['life-2']);
    expect(top.current?.stale).toBe(false);
  });

  it('keeps trying where nobody listens, and stops at once when closed', async () => {
    const probe = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const client = createClient({ url: `ws://127.0.0.1:${port}`, WebSocket, random: () => 0 });
    let failures = 0;
    const states: string[] = [];
    await new Promise<void>((resolve) => {
      client.on('state', (state, { retryInMs }) => {
        states.push(state);
        if (retryInMs !== null) failures += 1;
        if (failures === 3) resolve();
      });
      client.connect();
    });
    client.close();
    expect(states.slice(0, 4)).toEqual(['connecting', 'connecting', 'connecting', 'connecting']);
    expect(client.state).toBe('closed');
  });
});
