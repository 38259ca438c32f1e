/** Clients of the SDK and two gateways over one board; a test carries the bytes between them, or does not. */

import { vi } from 'vitest';
import { type Client, createClient, type SocketLike } from '../../../src/client/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import type { Authenticator } from '../../../src/gateway/principal.js';
import type { SendResult, Socket, SocketListener } from '../../../src/gateway/socket.js';
import { turns } from '../../views/support/view-rig.js';
import { BARE_HANDSHAKE, fakeRig, GatewayRig } from './gateway-rig.js';

const TOP_SIZE = 4;

/** A token is the id of its player: checking a real one takes time that no test holds. */
const AUTHENTICATOR: Authenticator = {
  authenticate: async (playerId) => ({ kind: 'player', playerId, keyId: null, expiresAt: null, mayWatch: () => true }),
  watchKey: () => () => {},
};

/** One connection: what either side sent waits in it until it is carried. */
export class Wire implements Socket {
  listener: SocketListener | null = null;
  readonly down: Uint8Array[] = [];
  readonly up: Uint8Array[] = [];
  /** The code that the server closed with, or the network. */
  closedWith: number | null = null;
  private isFull = false;
  private wasRefused = false;

  constructor(readonly client: WorldSocket) {}

  send(frame: Uint8Array): SendResult {
    if (this.closedWith === null) this.down.push(new Uint8Array(frame));
    if (!this.isFull) return 'sent';
    this.wasRefused = true;
    return 'queued';
  }

  cork(write: () => void): void {
    write();
  }

  bufferedBytes(): number {
    this.wasRefused ||= this.isFull && this.down.length > 0;
    return this.isFull ? this.down.length : 0;
  }

  close(code: number): void {
    if (this.closedWith !== null) return;
    this.closedWith = code;
    this.listener?.closed(code);
  }

  /** What was under way is lost. */
  cut(code: number): void {
    this.down.length = 0;
    this.close(code);
  }

  fill(): void {
    this.isFull = true;
  }

  drain(): void {
    this.isFull = false;
    if (!this.wasRefused) return;
    this.wasRefused = false;
    if (this.closedWith === null) this.listener?.drained();
  }

  /** The server reads the first `up` messages, the client the first `down`, or none while he reads nothing. */
  carry(up: number, down: number): void {
    for (const bytes of this.up.splice(0, up)) if (this.closedWith === null) this.listener?.received(bytes);
    if (this.isFull) return;
    for (const bytes of this.down.splice(0, down)) this.client.onmessage?.({ data: bytes.buffer });
    if (this.closedWith !== null && this.down.length === 0)
      this.client.onclose?.({ code: this.closedWith, reason: '' });
  }
}

export class WorldSocket implements SocketLike {
  binaryType = 'arraybuffer';
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: unknown }) => void) | null = null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  wire: Wire | null = null;

  send(bytes: Uint8Array): void {
    this.wire?.up.push(new Uint8Array(bytes));
  }

  close(): void {
    this.wire?.cut(1000);
  }
}

export class SdkWorld {
  readonly rig: GatewayRig;
  readonly otherRig: GatewayRig;
  wires: Wire[] = [];
  private readonly gateways: [Gateway, Gateway];
  private waiting: WorldSocket[] = [];

  constructor(
    points: Readonly<Record<string, number>>,
    private readonly random: () => number,
  ) {
    this.rig = fakeRig(points, TOP_SIZE);
    this.otherRig = new GatewayRig(this.rig.ranking, TOP_SIZE);
    this.otherRig.hubs.start();
    this.gateways = [this.newGateway(0), this.newGateway(1)];
  }

  client(playerId: string): Client {
    const { random, waiting } = this;
    class NewSocket extends WorldSocket {
      constructor() {
        super();
        waiting.push(this);
      }
    }
    const now = () => 1_800_000_000_000 + performance.now();
    return createClient({ url: 'ws://game.test', getToken: () => playerId, now, random, WebSocket: NewSocket });
  }

  /** Some of what waits, by chance; with `all` everything. */
  async carry(all = false): Promise<void> {
    const part = (count: number): number => (all ? count : Math.floor(this.random() * (count + 1)));
    for (const socket of this.waiting.splice(0, part(this.waiting.length))) this.connect(socket, !all);
    for (const wire of [...this.wires]) {
      if (all) wire.drain();
      wire.carry(part(wire.up.length), part(wire.down.length));
      if (wire.closedWith !== null && wire.down.length === 0) this.wires = this.wires.filter((one) => one !== wire);
    }
    await turns(1);
  }

  async pass(ms: number): Promise<void> {
    this.rig.ranking.tellPosition();
    await vi.advanceTimersByTimeAsync(ms);
    await turns(1);
  }

  /** Another process takes its place; it tells its clients, or is just gone. */
  restart(index: 0 | 1, isTold: boolean): void {
    const old = this.gateways[index];
    this.gateways[index] = this.newGateway(index);
    if (isTold) void old.drain({ reason: 1, spreadMs: 2_000, graceMs: 4_000 }).then(() => old.close());
    else old.close();
  }

  close(): void {
    for (const gateway of this.gateways) gateway.close();
    this.rig.close();
    this.otherRig.close();
  }

  private connect(socket: WorldSocket, mayFail: boolean): void {
    // Given up by its client meanwhile.
    if (socket.onopen === null) return;
    if (mayFail && this.random() < 0.1) return socket.onclose?.({ code: 1006, reason: '' });
    const wire = new Wire(socket);
    socket.wire = wire;
    wire.listener = this.gateways[this.random() < 0.5 ? 0 : 1].open(wire, BARE_HANDSHAKE);
    this.wires.push(wire);
    socket.onopen();
  }

  private newGateway(index: 0 | 1): Gateway {
    const { sessionOptions } = index === 0 ? this.rig : this.otherRig;
    const { limits, graceMs, directory, schedule, counters, logger, build } = sessionOptions;
    const { friends } = this.rig;
    const options = { limits, graceMs, directory, schedule, counters, logger, build, friends };
    return new Gateway({ ...options, authenticator: AUTHENTICATOR });
  }
}
