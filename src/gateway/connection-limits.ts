/** How many sockets a process takes, in all and of one address: asked at the handshake, before a socket costs anything. */

import { countedAddress } from './client-address.js';
import { HandshakeRefusedError } from './handshake-refused-error.js';

export interface ConnectionLimitsOptions {
  /** Open ones of the process. */
  readonly sockets: number;
  /** Open ones of an address. */
  readonly socketsPerAddress: number;
  /** New ones of an address in 10 s. */
  readonly connectsPerAddress: number;
  /** New ones of the process in 1 s. Default: any. */
  readonly connects?: number;
}

/** Given back when the socket is gone; every call after the first does nothing. */
export type Release = () => void;

/** The random wait of the client comes on top. */
const PACE_RETRY_SEC = 1;
const WINDOW_MS = 10_000;
/** Sockets close when they close; so much later one more look makes sense. */
const FULL_RETRY_SEC = 10;
/** Of as many addresses the new sockets of a window are told apart; above it the counts begin anew. */
const MAX_COUNTED_ADDRESSES = 100_000;

export class ConnectionLimits {
  private open = 0;
  /** By counted address; without entries for those that have none. */
  private readonly openByAddress = new Map<string, number>();
  /** New sockets in this window, which is the same for all addresses: so forgetting is one call. */
  private readonly connects = new Map<string, number>();
  private windowStart = Number.NEGATIVE_INFINITY;
  /** How many may come now; it fills up to those of a second. */
  private room = Number.POSITIVE_INFINITY;
  private roomAt = 0;

  constructor(private readonly limits: ConnectionLimitsOptions) {}

  get openCount(): number {
    return this.open;
  }

  /** Addresses that something is remembered of. */
  get addressCount(): number {
    return new Set([...this.openByAddress.keys(), ...this.connects.keys()]).size;
  }

  /** Counts one more socket of `address` at `now` (monotonic milliseconds). Throws `HandshakeRefusedError`. */
  take(address: string, now: number): Release {
    const { sockets, socketsPerAddress, connectsPerAddress } = this.limits;
    this.turnWindow(now);
    if (this.open >= sockets) {
      throw new HandshakeRefusedError('server-full', `this server has its ${sockets} sockets`, FULL_RETRY_SEC);
    }
    const counted = countedAddress(address);
    if ((this.openByAddress.get(counted) ?? 0) >= socketsPerAddress) {
      const detail = `this address has its ${socketsPerAddress} open sockets: close some`;
      throw new HandshakeRefusedError('address-full', detail, FULL_RETRY_SEC);
    }
    if ((this.connects.get(counted) ?? 0) >= connectsPerAddress) {
      const detail = `this address opened its ${connectsPerAddress} sockets of ${WINDOW_MS / 1_000} s: wait, then go slower`;
      throw new HandshakeRefusedError('address-too-fast', detail, this.windowEndsInSec(now));
    }
    this.takeRoom(now);
    this.connects.set(counted, (this.connects.get(counted) ?? 0) + 1);
    return this.hold(counted);
  }

  private takeRoom(now: number): void {
    const { connects = Number.POSITIVE_INFINITY } = this.limits;
    if (connects === Number.POSITIVE_INFINITY) return;
    this.room = Math.min(connects, this.room + ((now - this.roomAt) / 1_000) * connects);
    this.roomAt = now;
    if (this.room < 1) {
      const detail = `this server takes ${connects} sockets a second: come again, with a random wait`;
      throw new HandshakeRefusedError('server-too-fast', detail, PACE_RETRY_SEC);
    }
    this.room -= 1;
  }

  private hold(counted: string): Release {
    this.open += 1;
    this.openByAddress.set(counted, (this.openByAddress.get(counted) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.open -= 1;
      const left = (this.openByAddress.get(counted) ?? 0) - 1;
      if (left > 0) this.openByAddress.set(counted, left);
      else this.openByAddress.delete(counted);
    };
  }

  private turnWindow(now: number): void {
    if (now - this.windowStart < WINDOW_MS && this.connects.size < MAX_COUNTED_ADDRESSES) return;
    this.windowStart = now;
    this.connects.clear();
  }

  private windowEndsInSec(now: number): number {
    return Math.max(Math.ceil((this.windowStart + WINDOW_MS - now) / 1_000), 1);
  }
}
