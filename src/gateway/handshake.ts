/** Reads the upgrade request of a socket, all of it before anything is opened: encoding, origin, address, credential. */

import { JSON_SUBPROTOCOL, SUBPROTOCOL } from '../../proto/frames.js';
import { clientAddress, type TrustedProxies } from './client-address.js';
import { HandshakeRefusedError } from './handshake-refused-error.js';
import type { Handshake } from './principal.js';

/** The request as it came. */
export interface UpgradeRequest {
  /** All lines of the header, joined with commas; '' where there is none. */
  header(name: string): string;
  /** Of the URL, without `?`. */
  readonly query: string;
  /** Of the connection. */
  readonly remoteAddress: string;
}

export interface HandshakeRules {
  /** `null`: any. */
  readonly allowedOrigins: readonly string[] | null;
  readonly isTrusted: TrustedProxies;
}

export interface Opening {
  /** What the answer names; '' where nothing was offered. */
  readonly subprotocol: string;
  /** Frames are JSON text, not msgpack. */
  readonly isText: boolean;
  readonly handshake: Handshake;
}

/** How a browser sends a token, which has no other header of its own: beside the encoding, and not one itself. */
const BEARER_SUBPROTOCOL = 'base64url.bearer.rankcast.';
const MAX_TICKET_CHARS = 200;

/** Throws `HandshakeRefusedError`. Whether a credential counts is not looked at here. */
export function readHandshake(request: UpgradeRequest, rules: HandshakeRules): Opening {
  const offered = listOf(request.header('sec-websocket-protocol'));
  const bearers = offered.filter((protocol) => protocol.startsWith(BEARER_SUBPROTOCOL));
  const subprotocol = chooseSubprotocol(offered);
  requireAllowedOrigin(request.header('origin'), rules.allowedOrigins);
  return {
    subprotocol,
    isText: subprotocol === JSON_SUBPROTOCOL,
    handshake: {
      address: clientAddress(request.remoteAddress, request.header('x-forwarded-for'), rules.isTrusted),
      token: tokenOfHeader(request.header('authorization')) ?? tokenOfSubprotocols(bearers),
      ticket: ticketOf(request.query),
    },
  };
}

function listOf(header: string): string[] {
  return header === '' ? [] : header.split(',').map((item) => item.trim());
}

function chooseSubprotocol(offered: readonly string[]): string {
  const chosen = offered.find((protocol) => protocol === SUBPROTOCOL || protocol === JSON_SUBPROTOCOL);
  if (chosen === undefined && offered.length > 0) {
    const detail = `offer ${SUBPROTOCOL} (or ${JSON_SUBPROTOCOL}, to look with a debugger), or no subprotocol`;
    throw new HandshakeRefusedError('unknown-subprotocol', detail);
  }
  return chosen ?? '';
}

function requireAllowedOrigin(origin: string, allowedOrigins: readonly string[] | null): void {
  // Native clients send none.
  if (allowedOrigins === null || origin === '' || allowedOrigins.includes(origin)) return;
  throw new HandshakeRefusedError('forbidden-origin', 'this origin is not on the list of RANKCAST_ALLOWED_ORIGINS');
}

/** Other schemes are for proxies on the way, not for us. */
function tokenOfHeader(header: string): string | null {
  if (!/^bearer(?: |$)/i.test(header)) return null;
  return checkedToken(header.slice('bearer'.length).trim(), 'Authorization: Bearer needs one token');
}

function tokenOfSubprotocols(bearers: readonly string[]): string | null {
  const [bearer] = bearers;
  if (bearer === undefined) return null;
  const encoded = bearer.slice(BEARER_SUBPROTOCOL.length);
  const bytes = Buffer.from(encoded, 'base64url');
  // Node skips what is not base64url; only what comes back as it was is.
  const token = bearers.length === 1 && bytes.toString('base64url') === encoded ? bytes.toString('latin1') : '';
  return checkedToken(token, `${BEARER_SUBPROTOCOL}<token> needs one token, as base64url without padding`);
}

/** Tokens and keys are visible ASCII without blanks. */
function checkedToken(token: string, detail: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new HandshakeRefusedError('bad-credential', detail);
}

function ticketOf(query: string): string | null {
  const ticket = new URLSearchParams(query).get('ticket');
  if (ticket === null || (ticket.length <= MAX_TICKET_CHARS && /^[\x21-\x7e]+$/.test(ticket))) return ticket;
  throw new HandshakeRefusedError('bad-credential', 'the ticket is none: get one with POST /v1/tickets');
}
