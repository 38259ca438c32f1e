/** The bare send loop as a process of its own, with sockets that read and count. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { readFrames } from '../../../src/client/read-frame.js';
import { readProcessCost } from '../../lib/process-cost.js';
import type { BareOrder, BareReport } from './bare-server.js';
import { HeldConnection } from './held-connection.js';
import { LazyReads } from './lazy-reads.js';

const PROGRAM = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
/** One socket in so many is read at once. */
export const PROBE_EVERY = 10;
/** What is on its way when the last send was made. */
const SETTLE_MS = 500;

export interface BareRound {
  readonly sends: number;
  readonly received: number;
  readonly cpuUs: number;
}

export class BareProcess {
  private readonly sockets: WebSocket[] = [];
  private readonly connections: HeldConnection[] = [];
  private received = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async start(): Promise<BareProcess> {
    const child = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });
    const [report] = (await once(child, 'message')) as [BareReport];
    if (report.kind !== 'listening') throw new Error('the bare server did not listen');
    return new BareProcess(child, report.port);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async connect(count: number): Promise<void> {
    for (let from = 0; from < count; from += 50) {
      const some = Array.from({ length: Math.min(50, count - from) }, (_, index) => this.newSocket(from + index));
      await Promise.all(some.map((socket) => once(socket, 'open')));
    }
  }

  async round(order: BareOrder): Promise<BareRound> {
    const before = this.received;
    const lazy = new LazyReads(this.connections.filter((_, number) => number % PROBE_EVERY !== 0));
    lazy.start();
    const cpuBefore = this.cpuSec();
    this.child.send(order);
    const [report] = (await once(this.child, 'message')) as [BareReport];
    const cpuUs = (this.cpuSec() - cpuBefore) * 1e6;
    lazy.stop();
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    lazy.letGo();
    if (report.kind !== 'done') throw new Error('the bare server did not send');
    return { sends: report.sends, received: this.received - before, cpuUs };
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.terminate();
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private cpuSec(): number {
    return readProcessCost(this.pid).cpuSec;
  }

  private newSocket(number: number): WebSocket {
    const connection = new HeldConnection(this.port, '127.0.0.1');
    this.connections.push(connection);
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/${number}`, {
      perMessageDeflate: false,
      createConnection: () => connection as unknown as Socket,
    });
    // As much work as for a frame of the gateway, or the two would run beside different neighbours.
    const isProbe = number % PROBE_EVERY === 0;
    socket.on('message', (bytes: Buffer) => {
      this.received += isProbe ? readFrames(bytes).length : 1;
    });
    this.sockets.push(socket);
    return socket;
  }
}
