/** A gateway on a real port of the loopback, and plain clients of it. */

import http from 'node:http';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import {
  type BatchFrame,
  type ClientFrame,
  FrameType,
  JSON_SUBPROTOCOL,
  type ServerFrame,
  SUBPROTOCOL,
} from '../../../proto/frames.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import type { Handshake } from '../../../src/gateway/principal.js';
import { loadUws } from '../../../src/gateway/uws.js';
import { UwsServer } from '../../../src/gateway/uws-server.js';
import type { SocketEndpoint } from '../../../src/gateway/uws-sockets.js';
import { Endpoint } from '../../../src/http/endpoint.js';
import { jsonResponse, type Route } from '../../../src/http/http.js';
import { encodeFrame } from '../../../src/wire/encode.js';
import { eventually } from '../../contract/ranking-fixture.js';
import { gate } from '../../views/support/fake-ranking.js';
import { fakeRig } from './gateway-rig.js';

/** Requests to `/late` so far; they are answered when the test opens the gate. */
export const late = { count: 0, gate: gate() };

const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    pattern: '/echo/:name/:rest',
    handle: async (request) => {
      const body = Buffer.from(await request.body()).toString();
      const { method, path, params } = request;
      const query = Object.fromEntries(request.query);
      return jsonResponse(201, { method, path, params, query, header: request.header('x-test'), body });
    },
  },
  { method: 'POST', pattern: '/ignores-body', handle: async () => jsonResponse(200, { ok: true }) },
  { method: 'GET', pattern: '/plain', handle: async () => jsonResponse(200, { ok: true }) },
  {
    method: 'GET',
    pattern: '/late',
    handle: async () => {
      late.count += 1;
      await late.gate.passed;
      return jsonResponse(200, { ok: true });
    },
  },
];

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Enough for every test that is not about them. */
const LIMITS = { sockets: 1_000, socketsPerAddress: 1_000, connectsPerAddress: 1_000 };

export class LiveGateway {
  /** Why handshakes were refused, and what those that were not carried. */
  readonly refusals: string[] = [];
  readonly handshakes: Handshake[] = [];
  readonly rig = fakeRig({ a: 30, b: 20, c: 10 });
  readonly gateway = new Gateway(this.rig.sessionOptions);
  private readonly sockets: LiveSocket[] = [];

  private server: UwsServer | undefined;
  /** Stays known after the port was closed. */
  port = 0;

  private constructor() {}

  static async start(endpoint: Partial<SocketEndpoint> = {}): Promise<LiveGateway> {
    const live = new LiveGateway();
    live.server = await UwsServer.listen({
      uws: loadUws().uws,
      host: '127.0.0.1',
      port: 0,
      http: new Endpoint({ routes: ROUTES, logger: pino({ level: 'silent' }) }),
      sockets: {
        path: '/v1/socket',
        allowedOrigins: null,
        trustedProxies: [],
        limits: LIMITS,
        onRefused: (reason) => live.refusals.push(reason),
        open: (socket, handshake) => {
          live.handshakes.push(handshake);
          return live.gateway.open(socket, handshake);
        },
        ...endpoint,
      },
    });
    live.port = live.server.port;
    return live;
  }

  socket(options: SocketOptions = {}): LiveSocket {
    const socket = new LiveSocket(this.port, options);
    this.sockets.push(socket);
    return socket;
  }

  async request(method: string, path: string, body?: string | Uint8Array): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const headers = { 'x-test': 'yes', ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) };
      const options = { host: '127.0.0.1', port: this.port, method, path, headers, agent: false };
      const request = http.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode = 0, headers: answered } = response;
          resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks).toString() });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  /** Cuts its clients and keeps nothing of them. */
  forgetSockets(): void {
    for (const socket of this.sockets.splice(0)) socket.ws.terminate();
  }

  stopListening(): void {
    this.server?.stopListening();
    this.server = undefined;
  }

  close(): void {
    this.forgetSockets();
    this.gateway.close();
    this.stopListening();
    this.rig.close();
  }
}

export interface SocketOptions {
  readonly protocols?: readonly string[];
  readonly origin?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export class LiveSocket {
  readonly ws: WebSocket;
  readonly frames: ServerFrame[] = [];
  opened = false;
  closeCode: number | undefined;
  /** The HTTP status where the handshake was refused. */
  refusedStatus: number | undefined;
  refusedHeaders: http.IncomingHttpHeaders = {};
  refusedBody = '';
  closeReason = '';
  /** Messages that came as text. */
  readonly texts: string[] = [];

  constructor(port: number, { protocols = [SUBPROTOCOL], origin, path = '/v1/socket', headers = {} }: SocketOptions) {
    const options = { headers: headers as http.OutgoingHttpHeaders, ...(origin === undefined ? {} : { origin }) };
    this.ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], options);
    this.ws.binaryType = 'nodebuffer';
    this.ws.on('open', () => {
      this.opened = true;
    });
    this.ws.on('message', (bytes: Buffer, isBinary) => {
      if (isBinary) this.frames.push(...readFrames(bytes));
      else this.receivedText(bytes.toString());
    });
    this.ws.on('close', (code, reason) => {
      this.closeCode = code;
      this.closeReason = reason.toString();
    });
    this.ws.on('unexpected-response', (_request, response) => {
      this.refusedStatus = response.statusCode;
      this.refusedHeaders = response.headers;
      response.on('data', (chunk: Buffer) => {
        this.refusedBody += chunk.toString();
      });
      response.on('end', () => this.ws.terminate());
    });
    // Refused and cut connections are told by the fields above.
    this.ws.on('error', () => {});
  }

  /** In the encoding of the socket. */
  send(frame: ClientFrame): void {
    this.ws.send(this.ws.protocol === JSON_SUBPROTOCOL ? JSON.stringify(frame) : encodeFrame(frame));
  }

  private receivedText(text: string): void {
    this.texts.push(text);
    const frame = JSON.parse(text) as ServerFrame | BatchFrame;
    this.frames.push(...(frame[0] === FrameType.batch ? frame[1] : [frame]));
  }

  async untilOpen(): Promise<this> {
    await eventually(() => this.opened, 'the socket opened');
    return this;
  }

  async untilClosed(): Promise<number | undefined> {
    await eventually(() => this.closeCode !== undefined, 'the socket closed');
    return this.closeCode;
  }

  async untilRefused(): Promise<number | undefined> {
    await eventually(() => this.refusedStatus !== undefined, 'the handshake was refused');
    return this.refusedStatus;
  }

  async untilFrame(type: number, count = 1): Promise<ServerFrame> {
    const found = () => this.frames.filter((frame) => frame[0] === type);
    await eventually(() => found().length >= count, `${count} frames of type ${type} came`);
    const frame = found()[count - 1];
    if (frame === undefined) throw new Error('it was there a moment ago');
    return frame;
  }

  async greeted(token: string | null = null): Promise<this> {
    await this.untilOpen();
    this.send([FrameType.hello, token, 'test/1', 3]);
    await this.untilFrame(FrameType.welcome);
    return this;
  }
}
