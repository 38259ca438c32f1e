/** Reads what clients send: bytes to a checked frame, or an error that says with which code the socket is to be closed. */

import { CloseCode } from '../../proto/close-codes.js';
import { type ClientFrame, FrameType, MAX_CLIENT_FRAME_BYTES } from '../../proto/frames.js';
import { DecodeError, decodeFrame } from './decode.js';

/** A frame whose type no client sends in this version: the session goes on, the answer is ERROR 400. */
export type UnknownFrame = readonly [type: 'unknown', frameType: number];

/** The close reason of RFC 6455 has room for 123 bytes; the texts of this file are ASCII and well below. */
export class BadFrameError extends Error {
  readonly isRetryable = false;
  constructor(
    readonly closeCode: typeof CloseCode.badFrame | typeof CloseCode.frameTooBig,
    /** Close reason: names the frame and field, never quotes the input. */
    readonly reason: string,
  ) {
    super(reason);
  }
  override get name(): string {
    return 'BadFrameError';
  }
}

/** One value of the protocol's subset from all of the bytes, which it keeps no reference to. Throws `DecodeError`. */
export type Decode = (bytes: Uint8Array) => unknown;

/**
 * A client frame with all its fields: absent and nil ones at the end are `null`, extra ones are dropped.
 * Checks types and ranges only; whether a board exists or a client may send this now is for the gateway.
 * Keeps no reference to `bytes`. `decode`: default msgpack. Throws `BadFrameError`.
 */
export function readClientFrame(bytes: Uint8Array, decode: Decode = decodeFrame): ClientFrame | UnknownFrame {
  if (bytes.length > MAX_CLIENT_FRAME_BYTES) {
    throw new BadFrameError(
      CloseCode.frameTooBig,
      `frames from clients are limited to ${MAX_CLIENT_FRAME_BYTES} bytes`,
    );
  }
  return checkClientFrame(decoded(bytes, decode));
}

function decoded(bytes: Uint8Array, decode: Decode): unknown {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof DecodeError) throw malformed(`not a frame: ${error.message}`);
    throw error;
  }
}

/** The same on a decoded value. */
export function checkClientFrame(value: unknown): ClientFrame | UnknownFrame {
  if (!Array.isArray(value)) throw malformed('a frame is an array');
  const fields: readonly unknown[] = value;
  const type = fields[0];
  switch (type) {
    case FrameType.hello:
      return [
        FrameType.hello,
        textOrNil(fields[1], 'token of HELLO'),
        text(fields[2], 'client of HELLO'),
        u(fields[3], 'caps of HELLO'),
        textOrNil(fields[4], 'sessionId of HELLO'),
      ];
    case FrameType.ping:
      return [FrameType.ping, uOrNil(fields[1], 'nonce of PING')];
    case FrameType.refresh:
      return [FrameType.refresh, requestId(fields[1], 'reqId of REFRESH'), text(fields[2], 'token of REFRESH')];
    case FrameType.subscribe:
      return [
        FrameType.subscribe,
        requestId(fields[1], 'reqId of SUBSCRIBE'),
        u(fields[2], 'kind of SUBSCRIBE'),
        text(fields[3], 'boardId of SUBSCRIBE'),
        array(fields[4], 'args of SUBSCRIBE'),
        uOrNil(fields[5], 'epoch of SUBSCRIBE'),
        nOrNil(fields[6], 'seq of SUBSCRIBE'),
        ...partOf(fields),
      ];
    case FrameType.unsubscribe:
      return [
        FrameType.unsubscribe,
        requestId(fields[1], 'reqId of UNSUBSCRIBE'),
        u(fields[2], 'topic of UNSUBSCRIBE'),
      ];
    case FrameType.resync:
      return [
        FrameType.resync,
        u(fields[1], 'topic of RESYNC'),
        u(fields[2], 'epoch of RESYNC'),
        n(fields[3], 'seq of RESYNC'),
        u(fields[4], 'why of RESYNC'),
      ];
    default:
      return ['unknown', u(type, 'type of a frame')];
  }
}

/** Of SUBSCRIBE: nothing where it is whole, as most are. */
function partOf(fields: readonly unknown[]): [] | [minIntervalMs: number | null, more: boolean | null] {
  const [interval, more] = [uOrNil(fields[7], 'minIntervalMs of SUBSCRIBE'), flagOrNil(fields[8], 'more of SUBSCRIBE')];
  return interval === null && more === null ? [] : [interval, more];
}

function u(value: unknown, field: string): number {
  if (typeof value === 'number' && value >>> 0 === value) return value;
  throw malformed(`${field} must be an integer from 0 to 2^32-1`);
}

/** 0 is the server's own: in ERROR and UNSUBSCRIBED it says that nobody asked. */
function requestId(value: unknown, field: string): number {
  const id = u(value, field);
  if (id === 0) throw malformed(`${field} must not be 0`);
  return id;
}

function uOrNil(value: unknown, field: string): number | null {
  return value === undefined || value === null ? null : u(value, field);
}

function n(value: unknown, field: string): number {
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw malformed(`${field} must be a number`);
}

function nOrNil(value: unknown, field: string): number | null {
  return value === undefined || value === null ? null : n(value, field);
}

function text(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw malformed(`${field} must be text`);
}

function textOrNil(value: unknown, field: string): string | null {
  return value === undefined || value === null ? null : text(value, field);
}

function flagOrNil(value: unknown, field: string): boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value;
  throw malformed(`${field} must be true or false`);
}

function array(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw malformed(`${field} must be an array`);
}

function malformed(reason: string): BadFrameError {
  return new BadFrameError(CloseCode.badFrame, `bad frame: ${reason}`);
}
