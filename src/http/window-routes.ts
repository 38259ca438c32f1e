/** Windows of a board: a range of ranks, one player, around a player, a player's friends. */

import { type Entry, MAX_READ_PLAYERS, type Standing } from '../domain/change.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import { tierOf } from '../domain/tiers.js';
import type { Access } from './access.js';
import { readCursor, writeCursor } from './cursor.js';
import { tagged, windowTag } from './entity-tag.js';
import {
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  NO_STORE,
  PRIVATE,
  PUBLIC_WINDOW,
  type Route,
} from './http.js';
import { readPlayerIds } from './player-ids.js';
import { badRequest } from './problem.js';
import { checkPlayerId, readBoolean, readInteger } from './query.js';
import type { Friends, WindowReader, WindowReading } from './stores.js';
import { findTarget, type Target, type Targets } from './targets.js';
import { requireReading, windowBody, windowEntry } from './window-body.js';

export const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
export const MAX_RADIUS = 100;
const DEFAULT_RADIUS = 5;
const MAX_RANK = 1_000_000_000;

export interface WindowRoutesOptions {
  readonly targets: Targets;
  readonly reader: WindowReader;
  readonly friends: Friends;
  readonly access: Access;
}

/** All take `?season=`, default the current one, `?period=`, default the whole season, and `?scope=`, default everybody. */
export function windowRoutes(options: WindowRoutesOptions): readonly Route[] {
  const player = '/v1/boards/:boardId/players/:playerId';
  return [
    { method: 'GET', pattern: '/v1/boards/:boardId/entries', handle: (request) => readEntries(options, request) },
    { method: 'GET', pattern: player, handle: (request) => readPlayer(options, request) },
    {
      method: 'POST',
      pattern: '/v1/boards/:boardId/players:lookup',
      handle: (request) => lookUpPlayers(options, request),
    },
    { method: 'GET', pattern: `${player}/around`, handle: (request) => readAround(options, request) },
    { method: 'GET', pattern: `${player}/friends`, handle: (request) => readFriends(options, request) },
  ];
}

export function readLimit(request: HttpRequest): number {
  return readInteger(request.query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT);
}

export function readRadius(request: HttpRequest): number {
  return readInteger(request.query, 'radius', DEFAULT_RADIUS, 0, MAX_RADIUS);
}

/** From a rank on (`from`; ranks below 1 and beyond the end are simply not there), or from where another page ended (`cursor`). */
async function readEntries({ targets, reader }: WindowRoutesOptions, request: HttpRequest) {
  const limit = readLimit(request);
  const cursor = request.query.get('cursor');
  if (cursor !== undefined) {
    const { target, key } = readCursor(targets, request.params[0] ?? '', request.query, cursor);
    const reading = requireReading(target, await reader.readBelow(target.list, key, limit));
    return entriesPage(targets, request, target, reading, (reading.rows.at(-1)?.rank ?? reading.total) + 1);
  }
  const target = requestedTarget(targets, request);
  const from = readInteger(request.query, 'from', 1, -MAX_RANK, MAX_RANK);
  const reading = requireReading(target, await reader.readRange(target.list, from, limit));
  return entriesPage(targets, request, target, reading, Math.max(1, from + limit));
}

function entriesPage(
  targets: Targets,
  request: HttpRequest,
  target: Target,
  reading: WindowReading<Entry>,
  nextRank: number,
): HttpResponse {
  const { rows, total } = reading;
  const last = rows.at(-1);
  const next = nextRank <= total ? nextRank : null;
  const nextCursor = last !== undefined && last.rank < total ? writeCursor(target, last) : null;
  return publicWindow(request, target, reading, windowBody(target, reading, rows, targets.now(), { next, nextCursor }));
}

/**
 * The usual body with one entry, whose fields stand at the top level as well for callers who want one number, beside the tier and
 * the share of players who stand no lower, in percent.
 */
async function readPlayer({ targets, reader }: WindowRoutesOptions, request: HttpRequest) {
  const target = requestedTarget(targets, request);
  const playerId = requestedPlayer(request);
  const reading = requireReading(target, await reader.readPlayers(target.list, [playerId]));
  const standing = reading.rows[0] ?? { playerId, score: null, rank: null };
  const body = windowBody(target, reading, [standing], targets.now());
  const entry = windowEntry(target, standing);
  const { rank, score: points } = entry;
  const topPercent = rank === null ? null : (100 * rank) / reading.total;
  const tier = tierOf(target.boardSeason.board.tiers, { points, rank, total: reading.total });
  return publicWindow(request, target, reading, { ...body, ...entry, topPercent, tier });
}

async function readAround({ targets, reader }: WindowRoutesOptions, request: HttpRequest) {
  const target = requestedTarget(targets, request);
  const playerId = requestedPlayer(request);
  const radius = readRadius(request);
  const reading = requireReading(target, await reader.readAround(target.list, playerId, radius, radius));
  return publicWindow(request, target, reading, windowBody(target, reading, reading.rows, targets.now()));
}

/** Standings of up to `MAX_READ_PLAYERS` players, each once, in the order asked. */
async function lookUpPlayers({ targets, reader }: WindowRoutesOptions, request: HttpRequest) {
  const target = requestedTarget(targets, request);
  const ids = readPlayerIds(await request.body());
  const reading = requireReading(target, await reader.readPlayers(target.list, ids));
  return jsonResponse(200, windowBody(target, reading, reading.rows, targets.now()), NO_STORE);
}

/** What everybody may see, and caches may keep for a second. */
function publicWindow(request: HttpRequest, target: Target, reading: WindowReading<unknown>, body: object) {
  return tagged(request, jsonResponse(200, body, PUBLIC_WINDOW), windowTag(target, reading));
}

/** The best `limit` friends, hidden ones left out; with `includeSelf=true` the player stands among them. */
async function readFriends({ targets, reader, friends, access }: WindowRoutesOptions, request: HttpRequest) {
  const target = requestedTarget(targets, request);
  requirePlayers(target);
  const playerId = requestedPlayer(request);
  await access.requirePlayer(request, playerId);
  const limit = readLimit(request);
  const self = readBoolean(request.query, 'includeSelf', false) ? [playerId] : [];
  const ids = [...(await friends.friendsOf(playerId)), ...self];
  const reading = await readAll(reader, target, ids);
  const shown = reading.rows.filter((row) => row.isHidden !== true || row.playerId === playerId);
  const rows = orderStandings(shown).slice(0, limit);
  return jsonResponse(200, windowBody(target, reading, rows, targets.now()), PRIVATE);
}

/** Cuts of a long list are read one after the other; what is told as the position is that of the first. */
async function readAll(reader: WindowReader, target: Target, ids: readonly string[]): Promise<WindowReading<Standing>> {
  const first = requireReading(target, await reader.readPlayers(target.list, ids.slice(0, MAX_READ_PLAYERS)));
  const rows = [...first.rows];
  for (let from = MAX_READ_PLAYERS; from < ids.length; from += MAX_READ_PLAYERS) {
    const cut = ids.slice(from, from + MAX_READ_PLAYERS);
    rows.push(...requireReading(target, await reader.readPlayers(target.list, cut)).rows);
  }
  return { ...first, rows };
}

/** By rank; players without a row last, by the bytes of their ids ascending, as clients sort them (PROTOCOL.md 7.6). */
function orderStandings(rows: readonly Standing[]): readonly Standing[] {
  const ranked = rows.filter(({ rank }) => rank !== null);
  const unranked = rows.filter(({ rank }) => rank === null).map((row) => ({ row, id: Buffer.from(row.playerId) }));
  ranked.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  unranked.sort((a, b) => Buffer.compare(a.id, b.id));
  return [...ranked, ...unranked.map(({ row }) => row)];
}

function requestedTarget(targets: Targets, { params: [boardId = ''], query }: HttpRequest): Target {
  return findTarget(targets, boardId, query);
}

/** Who is ranked where it is not players has no friends. */
function requirePlayers({ boardSeason: { board } }: Target): void {
  if (board.subject === PLAYER_SUBJECT) return;
  throw badRequest(`board ${board.boardId} ranks by ${board.subject}, not players: it has no friends to show`);
}

function requestedPlayer({ params: [, playerId = ''] }: HttpRequest): string {
  return checkPlayerId(playerId);
}
