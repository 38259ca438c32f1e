/**
 * `rankcast verify` against a server that keeps all by itself, and against one that lies.
 *
 * Set up: a server on an embedded database; for the lies a proxy before it that changes a result on its way in, and a client
 * whose frames are lost without a word. Expect: the honest one passes, each lie is found and told with what repeats it.
 */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { readVerifyArguments } from '../../src/app/verify-arguments.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { describeFindings, isPassed, summaryLine, type VerifyReport } from '../../src/verify/report.js';
import { verify } from '../../src/verify/verify.js';
import { type DataFolder, makeDataFolder } from '../support/data-folder.js';
import { runCommand, type ServerProcess, startServer } from '../support/server-process.js';

const SECRET = '0123456789abcdef0123456789abcdef';
const INGEST_TOKEN = 'verify-ingest-token';
const ENV = { RANKCAST_TOKEN_SECRET: SECRET, RANKCAST_INGEST_TOKEN: INGEST_TOKEN };
const SHORT = ['--clients', '8', '--minutes', '0.1', '--rate', '100', '--settle-sec', '3'];

let folder: DataFolder;
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  folder = await makeDataFolder();
  server = await startServer({
    ...ENV,
    RANKCAST_DATA_DIR: `${folder.path}/data`,
    RANKCAST_HOST: '127.0.0.1',
    RANKCAST_PORT: '0',
    RANKCAST_ADMIN_PORT: '0',
    RANKCAST_DRAIN_SEC: '0',
  });
  url = `http://127.0.0.1:${server.port}`;
});

afterAll(async () => {
  await server?.stop();
  await folder?.remove();
});

test('passes on an honest server, also where others stand on the board', { timeout: 90_000 }, async () => {
  const others = [1, 50, 5_000].map((points) => ({
    matchId: `o${points}`,
    playerId: `other-${points}`,
    points,
    achievedAt: Date.now(),
  }));
  await fetch(`${url}/v1/results`, {
    method: 'POST',
    headers: { authorization: `Bearer ${INGEST_TOKEN}` },
    body: JSON.stringify(others),
  });
  await expect.poll(async () => (await entries()).length).toBe(3);

  const end = await runCommand(['verify', '--url', url, ...SHORT, '--seed', '7'], ENV);

  expect(end, end.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^verify=pass seed=7 clients=8 .*mismatches=0\n$/),
  });
  expect(end.stderr).toContain('no rebuild: it needs the settings of the stores');
  expect(await entries()).toEqual([5_000, 50, 1]);
});

test('finds a result that was changed on its way in', { timeout: 60_000 }, async () => {
  const proxy = await startLyingProxy(Number(server.port));
  try {
    const target = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const end = await runCommand(['verify', '--url', target, ...SHORT, '--seed', '8'], ENV);
    expect(end.code, end.stdout).toBe(1);
    expect(end.stdout).toMatch(/^verify=fail seed=8 /);
    expect(end.stderr).toMatch(/"verify-8-.*, window \w+ arena.*, row \d+: shows .*; expected /);
    expect(end.stderr).toContain(`again: rankcast verify --url ${target} --board arena --clients 8`);
    expect(end.stderr).toContain('--seed 8');
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

test('finds a client whose frames are lost without a word', { timeout: 60_000 }, async () => {
  const report = await runHere('9', deafeningSocket());
  expect(isPassed(report)).toBe(false);
  expect(report.quietPoints).toBe(1);
  expect(summaryLine(report)).toMatch(/^verify=fail seed=9 /);
  expect(new Set(report.mismatches.map(({ playerId }) => playerId)).size).toBe(1);
  expect(describeFindings(report)[0]).toMatch(/shows .*; expected /);
});

test('finds somebody else who plays on the board', { timeout: 60_000 }, async () => {
  const running = runCommand(['verify', '--url', url, ...SHORT, '--seed', '10'], ENV);
  await expect.poll(async () => await readEntries(), { timeout: 20_000 }).toContain('"verify-10-');
  const stranger = { matchId: 'stranger', playerId: 'stranger', points: 20_000, achievedAt: Date.now() };
  const headers = { authorization: `Bearer ${INGEST_TOKEN}` };
  await fetch(`${url}/v1/results`, { method: 'POST', headers, body: JSON.stringify([stranger]) });
  const end = await running;
  expect([end.code, end.stderr]).toEqual([1, expect.stringContaining('somebody else plays on board arena')]);
});

test.each([
  [['--url', 'http://127.0.0.1:1'], ENV, 1, /does not answer/],
  [['--clients', 'many'], ENV, 2, /--clients must be a whole number/],
  [[], {}, 2, /needs RANKCAST_INGEST_TOKEN and RANKCAST_TOKEN_SECRET/],
])('says in a sentence why %j cannot be run', async (args, env, code, said) => {
  const end = await runCommand(['verify', ...args], env);
  expect([end.code, end.stdout]).toEqual([code, '']);
  expect(end.stderr).toMatch(said);
});

test('says which secret is not that of the server', { timeout: 60_000 }, async () => {
  const wrong = { ...ENV, RANKCAST_INGEST_TOKEN: 'another' };
  const end = await runCommand(['verify', '--url', url, ...SHORT], wrong);
  expect([end.code, end.stderr]).toEqual([
    1,
    expect.stringContaining('RANKCAST_INGEST_TOKEN must be that of the server'),
  ]);
});

async function runHere(seed: string, Socket: typeof WebSocket): Promise<VerifyReport> {
  const order = readVerifyArguments(['--url', url, ...SHORT, '--seed', seed]);
  if (order === null) throw new Error('this is an order');
  const tokens = new PlayerTokens({ secret: SECRET });
  return await verify({
    ...order,
    ingestToken: INGEST_TOKEN,
    sign: (playerId) => tokens.sign(playerId, 600),
    rebuild: null,
    progress: () => {},
    signal: new AbortController().signal,
    Socket,
  });
}

async function readEntries(): Promise<string> {
  const response = await fetch(`${url}/v1/boards/arena/entries?limit=1000`);
  return await response.text();
}

async function entries(): Promise<number[]> {
  const body = JSON.parse(await readEntries()) as { entries: { score: number }[] };
  return body.entries.map(({ score }) => score);
}

/** The first socket that is opened hears its welcome and its snapshots, and nothing that is sent later, however often it reconnects. */
function deafeningSocket(): typeof WebSocket {
  let opened = 0;
  return class extends WebSocket {
    private heard = 0;
    private readonly isDeaf = opened++ === 0;
    override emit(event: string | symbol, ...args: unknown[]): boolean {
      if (this.isDeaf && event === 'message' && ++this.heard > 15) return true;
      return super.emit(event, ...args);
    }
    // The plan may cut it off; this one lives on.
    override terminate(): void {
      if (!this.isDeaf) super.terminate();
    }
  } as typeof WebSocket;
}

/** Hands everything on, but one result with other points. */
async function startLyingProxy(port: number): Promise<Server> {
  let hasLied = false;
  const proxy = createServer((incoming, outgoing) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      let body = Buffer.concat(chunks).toString('utf8');
      if (!hasLied && incoming.url === '/v1/results') {
        const results = JSON.parse(body) as { points: { points: number } }[];
        const [first] = results;
        // Better than all others can be, so that it shows whatever comes later.
        if (first !== undefined) first.points.points = 1_000_000;
        body = JSON.stringify(results);
        hasLied = true;
      }
      const headers = { ...incoming.headers, 'content-length': String(Buffer.byteLength(body)) };
      const onward = request(
        { port, host: '127.0.0.1', method: incoming.method, path: incoming.url, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        },
      );
      onward.end(body);
    })();
  });
  proxy.on('upgrade', (incoming, socket, head) => {
    const onward = connect(port, '127.0.0.1', () => {
      const lines = Object.entries(incoming.headers).map(([name, value]) => `${name}: ${String(value)}`);
      onward.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const one of [onward, socket])
      one.on('error', () => undefined).on('close', () => [onward, socket].map((s) => s.destroy()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
