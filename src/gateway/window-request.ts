/** What a SUBSCRIBE asks for: its kind and args, checked, with defaults filled in. */

import { ErrorCode, WindowKind } from '../../proto/frames.js';
import { isValidId } from '../domain/ids.js';
import { RefusedError } from './refusal.js';
import { MAX_WATCHED_PLAYERS, tooManyPlayers } from './subscribe-parts.js';

export const MAX_FRIENDS_LIMIT = 10_000;
/** Rows above, and below, of a window around a player. */
export const MAX_AROUND_ROWS = 50;
const DEFAULT_AROUND_ROWS = 5;

export interface FriendsRequest {
  readonly kind: 'friends';
  readonly limit: number;
  readonly includeSelf: boolean;
}

export interface PlayersRequest {
  readonly kind: 'players';
  /** Each once, in the order asked. */
  readonly ids: readonly string[];
}

export interface AroundRequest {
  readonly kind: 'around';
  readonly above: number;
  readonly below: number;
  /** `null`: the player of the session. */
  readonly playerId: string | null;
}

export type WindowRequest =
  | { readonly kind: 'top'; readonly limit: number }
  | { readonly kind: 'me' }
  | AroundRequest
  | FriendsRequest
  | PlayersRequest;

/** `topSize`: of the board. Throws `RefusedError`. */
export function readWindowRequest(kind: number, args: readonly unknown[], topSize: number): WindowRequest {
  switch (kind) {
    case WindowKind.top:
      return { kind: 'top', limit: readLimit(args[0], topSize) };
    case WindowKind.around:
      return {
        kind: 'around',
        above: readRows(args[0], 'above'),
        below: readRows(args[1], 'below'),
        playerId: readId(args[2]),
      };
    case WindowKind.me:
      return { kind: 'me' };
    case WindowKind.friends:
      return { kind: 'friends', limit: readLimit(args[0], MAX_FRIENDS_LIMIT), includeSelf: readFlag(args[1], true) };
    case WindowKind.players:
      return { kind: 'players', ids: readIds(args[0]) };
    default:
      throw new RefusedError(ErrorCode.badArgument, `window kind ${kind} is not known to this version`);
  }
}

export function isKnownKind(kind: number): kind is WindowKind {
  return Object.values<number>(WindowKind).includes(kind);
}

/** Whether only the player himself, or a key bound to him, may watch it. */
export function isPrivateKind(kind: number): boolean {
  return kind === WindowKind.me || kind === WindowKind.friends;
}

function readLimit(value: unknown, max: number): number {
  if (value === undefined || value === null) return max;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new RefusedError(ErrorCode.badArgument, `limit must be an integer from 1 to ${max}`);
}

function readRows(value: unknown, name: string): number {
  if (value === undefined || value === null) return DEFAULT_AROUND_ROWS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_AROUND_ROWS) return value;
  throw new RefusedError(ErrorCode.badArgument, `${name} must be an integer from 0 to ${MAX_AROUND_ROWS}`);
}

function readId(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && isValidId(value)) return value;
  throw new RefusedError(ErrorCode.badArgument, 'playerId must be 1 to 64 bytes of text without control characters');
}

function readFlag(value: unknown, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'boolean') return value;
  throw new RefusedError(ErrorCode.badArgument, 'includeSelf must be true or false');
}

function readIds(value: unknown): readonly string[] {
  const isIds = Array.isArray(value) && value.every((id) => typeof id === 'string' && isValidId(id));
  if (!isIds || value.length === 0) {
    const rule = 'ids must be an array of at least one player id: text of 1 to 64 bytes without control characters';
    throw new RefusedError(ErrorCode.badArgument, rule);
  }
  if (value.length > MAX_WATCHED_PLAYERS) throw tooManyPlayers();
  return [...new Set(value as string[])];
}
