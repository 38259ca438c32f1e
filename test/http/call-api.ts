/** A server without sockets: the real routes over a brute-force board and a friend graph in memory. */

import { pino } from 'pino';
import { loadBoards } from '../../src/boards.js';
import { type FoundKey, KEY_PREFIX, type KeyDraft, type TicketHolder } from '../../src/domain/access-key.js';
import { BoardSeasons } from '../../src/domain/board-season.js';
import type { Entry } from '../../src/domain/change.js';
import { RankcastError } from '../../src/domain/errors.js';
import { compareOrderKeys } from '../../src/domain/order-key.js';
import { packScore, scoreLayout } from '../../src/domain/packed-score.js';
import { type ApiOptions, apiRoutes } from '../../src/http/api-routes.js';
import { BodyCollector } from '../../src/http/body.js';
import type { HttpResponse, Route } from '../../src/http/http.js';
import { matchesPattern, respond, respondUnmatched } from '../../src/http/respond.js';
import type { Friends, KeyStore, ResultRecord, TicketIssuer, WindowReader } from '../../src/http/stores.js';
import { PlayerTokens } from '../../src/ops/player-tokens.js';
import { Readiness } from '../../src/ops/readiness.js';
import { pointsUpTo } from '../support/definitions.js';

export const NOW = Date.UTC(2026, 9, 12, 18);
export const INGEST_TOKEN = 'game-server';
export const tokens = new PlayerTokens({ secret: '0123456789abcdef0123456789abcdef' });

export class FriendLimitError extends RankcastError {
  readonly isRetryable = false;
  readonly code = 'friend_limit';
}

/** Players with points; all reached at the same time, so ids decide between equals. */
export function boardOf(points: Readonly<Record<string, number>>): WindowReader {
  const season = loadBoards().calendar.seasons[0];
  if (season === undefined) throw new Error('no season');
  const layout = scoreLayout(pointsUpTo(2_097_151), season);
  const rows: Entry[] = Object.entries(points)
    .map(([playerId, value]) => ({ playerId, score: packScore(layout, { points: value }, NOW), rank: 0 }))
    .sort(compareOrderKeys)
    .map((row, index) => ({ ...row, rank: index + 1 }));
  const read = <Row>(some: readonly Row[]) => ({ epoch: 7, seq: 42, total: rows.length, rows: some });
  return {
    readRange: async (_, from, count) => read(rows.filter(({ rank }) => rank >= from && rank < from + count)),
    readBelow: async (_, key, count) => read(rows.filter((row) => compareOrderKeys(key, row) < 0).slice(0, count)),
    readAround: async (_, playerId, above, below) => {
      const own = rows.find((row) => row.playerId === playerId)?.rank ?? Number.NaN;
      return read(rows.filter(({ rank }) => rank >= own - above && rank <= own + below));
    },
    readPlayers: async (_, ids) =>
      read(
        ids.map((playerId) => rows.find((row) => row.playerId === playerId) ?? { playerId, score: null, rank: null }),
      ),
  };
}

/** Every read of a board that is declared but not filled. */
export const unfilledBoard: WindowReader = {
  readRange: async () => null,
  readBelow: async () => null,
  readAround: async () => null,
  readPlayers: async () => null,
};

export class FakeFriends implements Friends {
  readonly pairs = new Set<string>();
  async friendsOf(playerId: string): Promise<string[]> {
    return [...this.pairs].filter((pair) => pair.startsWith(`${playerId} `)).map((pair) => pair.split(' ')[1] ?? '');
  }
  async add(playerId: string, friendId: string): Promise<void> {
    if (friendId === 'one-too-many') throw new FriendLimitError(`${playerId} has as many friends as a list may have`);
    this.pairs.add(`${playerId} ${friendId}`).add(`${friendId} ${playerId}`);
  }
  async remove(playerId: string, friendId: string): Promise<void> {
    this.pairs.delete(`${playerId} ${friendId}`);
    this.pairs.delete(`${friendId} ${playerId}`);
  }
}

/** Keys as the real store has them, without a database. */
export class FakeKeys implements KeyStore {
  readonly made: (FoundKey & { readonly key: string })[] = [];
  async create(draft: KeyDraft) {
    const number = this.made.length + 1;
    const { expiresInMs, ...bindings } = draft;
    const expiresAt = expiresInMs === null ? null : NOW + expiresInMs;
    const named = { ...bindings, keyId: `id-${number}`, createdAt: NOW, expiresAt, revokedAt: null };
    const key = `${KEY_PREFIX}secret-${number}`;
    this.made.push({ ...named, key, isOver: false });
    return { ...named, key };
  }
  async list() {
    return this.made.map(({ key: _key, isOver: _isOver, ...rest }) => rest);
  }
  async revoke(keyId: string): Promise<boolean> {
    const at = this.made.findIndex((one) => one.keyId === keyId);
    const known = this.made[at];
    if (known !== undefined) this.made[at] = { ...known, revokedAt: NOW, isOver: true };
    return known !== undefined;
  }
  async find(key: string): Promise<FoundKey | null> {
    return this.made.find((one) => one.key === key) ?? null;
  }
}

export class FakeTickets implements TicketIssuer {
  readonly holders: TicketHolder[] = [];
  async issue(holder: TicketHolder) {
    this.holders.push(holder);
    return { ticket: `ticket-${this.holders.length}`, expiresInMs: 30_000 };
  }
}

export interface Call {
  readonly token?: string;
  readonly body?: string | Uint8Array;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class TestApi {
  readonly appended: ResultRecord[] = [];
  readonly friends = new FakeFriends();
  readonly keys = new FakeKeys();
  readonly tickets = new FakeTickets();
  readonly readiness = new Readiness();
  readonly routes: readonly Route[];

  constructor(options: Partial<ApiOptions> = {}) {
    this.routes = apiRoutes({
      seasons: new BoardSeasons(loadBoards()),
      reader: boardOf({}),
      progress: { state: async () => null, marks: async () => [] },
      results: { find: async () => null },
      appender: { append: async (records) => void this.appended.push(...records) },
      friends: this.friends,
      keys: this.keys,
      tickets: this.tickets,
      tokens,
      ingestToken: INGEST_TOKEN,
      readiness: this.readiness,
      now: () => NOW,
      ...options,
    });
  }

  async call(method: string, url: string, { token, body = '', headers = {} }: Call = {}): Promise<HttpResponse> {
    const [path = '', query = ''] = url.split('?');
    const route = this.routes.find(
      (candidate) => candidate.method === method && matchesPattern(candidate.pattern, path),
    );
    if (route === undefined) return respondUnmatched(this.routes, method, path);
    const given = path.split('/');
    const params = route.pattern
      .split('/')
      .flatMap((part, index) => (part.startsWith(':') ? [given[index] ?? ''] : []));
    const header = (name: string) =>
      name === 'authorization' && token !== undefined ? `Bearer ${token}` : headers[name];
    const read = async () => {
      const collector = new BodyCollector();
      collector.push(Buffer.from(body));
      return collector.bytes();
    };
    return respond(route, { method, path, params, query, header, body: read }, pino({ level: 'silent' }));
  }

  /** The parsed body of a 200. */
  async get(url: string, call: Call = {}): Promise<unknown> {
    const response = await this.call('GET', url, call);
    if (response.status !== 200) throw new Error(`${response.status} ${response.body}`);
    return parseBody(response);
  }
}

export function parseBody(response: HttpResponse): unknown {
  return JSON.parse(String(response.body));
}
