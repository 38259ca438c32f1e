/** Hubs over a ranking of the test, and everything that sessions need; each flush comes at the end of its turn. */

import { pino } from 'pino';
import { expect, vi } from 'vitest';
import type { BoardSet } from '../../../src/domain/board.js';
import { BoardSeasons } from '../../../src/domain/board-season.js';
import { scoreLayout, unpackPoints } from '../../../src/domain/packed-score.js';
import type { Season } from '../../../src/domain/season.js';
import type { Tiers } from '../../../src/domain/tiers.js';
import type { BoardHub } from '../../../src/gateway/board-hub.js';
import { FlushSchedule } from '../../../src/gateway/flush-schedule.js';
import type { GatewayCounters } from '../../../src/gateway/gateway.js';
import { BoardHubs } from '../../../src/gateway/hub-directory.js';
import type { Outbox } from '../../../src/gateway/outbox.js';
import { PlayerAuthenticator } from '../../../src/gateway/player-authenticator.js';
import type { Authenticator, Handshake } from '../../../src/gateway/principal.js';
import { SessionsOfPlayer } from '../../../src/gateway/sessions-of-player.js';
import { PlayerTokens } from '../../../src/ops/player-tokens.js';
import type { RankingReader } from '../../../src/views/ranking-reader.js';
import { ARENA_BOARD, pointsUpTo } from '../../support/definitions.js';
import { FakeRanking } from '../../views/support/fake-ranking.js';
import { turns } from '../../views/support/view-rig.js';
import { FakeFriends } from './fake-friends.js';
import { TestClient } from './test-client.js';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
export const SEASON: Season = { seasonId: '7', startsAt: TODAY - 30 * DAY_MS, endsAt: TODAY + 60 * DAY_MS };
const LAST_SEASON: Season = { seasonId: '6', startsAt: TODAY - 90 * DAY_MS, endsAt: TODAY - 30 * DAY_MS };
const MAX_POINTS = 100_000;
export const LAYOUT = scoreLayout(pointsUpTo(MAX_POINTS), SEASON);

export function boardSet(topSize: number, tiers: Tiers | null = null): BoardSet {
  return {
    modes: [{ mode: 'arena', fields: { points: { min: 0, max: MAX_POINTS } } }],
    boards: [{ ...ARENA_BOARD, topSize, tiers }],
    calendar: { seasons: [LAST_SEASON, SEASON], graceMs: 0 },
    maxLatenessMs: DAY_MS,
  };
}

/** A packed score with the latest time, so that equal points are equal scores. */
export function score(points: number): number {
  return points * 2 ** LAYOUT.timeBits;
}

/** As the configuration has them by default. */
export const LIMITS = { topics: 32, frames: 30, bytes: 65_536, sessionsPerPlayer: 10 };

/** Of a socket that came with nothing beside its frames. */
export const BARE_HANDSHAKE: Handshake = { address: '127.0.0.1', token: null, ticket: null };

export interface RigRules {
  /** Default: the rig's tokens, and nobody. */
  readonly authenticator?: Authenticator;
  /** Default 25 s. */
  readonly graceMs?: number;
  readonly sessionsPerPlayer?: number;
  /** Of the board; default none. */
  readonly tiers?: Tiers | null;
  /** Default: what `boardSet` has. */
  readonly boards?: BoardSet;
  /** Default 1,000. */
  readonly maxLists?: number;
  /** Default: the clock. */
  readonly now?: () => number;
}

/** Counts what sessions report. */
export class Counts implements GatewayCounters {
  sentBytes = 0;
  receivedFrames = 0;
  conflatedCount = 0;
  openSockets = 0;
  readonly blockedOutboxes = new Set<Outbox>();
  readonly closeCodes: number[] = [];
  readonly resyncs: number[] = [];
  readonly topics = new Map<string, number>();
  readonly pushDelays: number[] = [];

  sent(bytes: number): void {
    this.sentBytes += bytes;
  }

  received(): void {
    this.receivedFrames += 1;
  }

  conflated(): void {
    this.conflatedCount += 1;
  }

  blocked(outbox: Outbox): void {
    this.blockedOutboxes.add(outbox);
  }

  unblocked(outbox: Outbox): void {
    this.blockedOutboxes.delete(outbox);
  }

  resynced(why: number): void {
    this.resyncs.push(why);
  }

  topic(kind: string, step: 1 | -1): void {
    this.topics.set(kind, (this.topics.get(kind) ?? 0) + step);
  }

  pushed(delayMs: number): void {
    this.pushDelays.push(delayMs);
  }

  opened(): void {
    this.openSockets += 1;
  }

  closed(code: number): void {
    this.closeCodes.push(code);
  }
}

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly sessionId?: string;
  readonly err?: { readonly message: string };
}

/** `Reader`: what the hubs read; a fake one by default. */
export class GatewayRig<Reader extends RankingReader = FakeRanking> {
  readonly friends = new FakeFriends();
  readonly counters = new Counts();
  readonly tokens = new PlayerTokens({ secret: '0123456789abcdef0123456789abcdef' });
  /** What flushes threw. */
  readonly flushErrors: unknown[] = [];
  /** A tick of 0: nobody is ever hot. */
  readonly pace = { tickMs: 0 };
  readonly schedule = new FlushSchedule(this.pace, (error) => this.flushErrors.push(error));
  /** What sessions logged at level warn and above. */
  readonly logged: LogLine[] = [];
  /** What was reported of each board last, `null` where it is ready. */
  readonly reports = new Map<string, string | null>();
  readonly hubs: BoardHubs;
  readonly sessionOptions;

  constructor(
    readonly ranking: Reader,
    readonly topSize = 5,
    rules: RigRules = {},
  ) {
    this.hubs = new BoardHubs({
      seasons: new BoardSeasons(rules.boards ?? boardSet(topSize, rules.tiers)),
      reader: ranking,
      schedule: this.schedule,
      maxLists: rules.maxLists ?? 1_000,
      ...(rules.now === undefined ? {} : { now: rules.now }),
      logger: pino({ level: 'silent' }),
      countReload: () => {},
      countWrong: () => {},
      reports: {
        ready: (name) => this.reports.set(name, null),
        notReady: (name, reason) => this.reports.set(name, reason),
      },
    });
    const sessionsPerPlayer = rules.sessionsPerPlayer ?? LIMITS.sessionsPerPlayer;
    this.sessionOptions = {
      authenticator: rules.authenticator ?? new PlayerAuthenticator({ tokens: this.tokens, isAnonymousAllowed: true }),
      sessionsOfPlayer: new SessionsOfPlayer(sessionsPerPlayer),
      limits: { ...LIMITS, sessionsPerPlayer },
      graceMs: rules.graceMs ?? 25_000,
      directory: this.hubs,
      friends: this.friends,
      schedule: this.schedule,
      counters: this.counters,
      logger: pino({ level: 'warn' }, { write: (line: string) => this.logged.push(JSON.parse(line) as LogLine) }),
      build: 'test',
      onClosed: () => {},
    };
  }

  get hub(): BoardHub {
    return this.hubs.find('arena');
  }

  /** A session that said HELLO, for a player or for nobody. */
  async client(playerId: string | null = null, caps = 3): Promise<TestClient> {
    const client = new TestClient(this);
    client.hello(playerId === null ? null : await this.tokens.sign(playerId, 3_600), caps);
    await until(() => client.frames.length > 0, 'WELCOME');
    return client;
  }

  close(): void {
    this.hubs.close();
  }
}

/** A rig over a fake ranking with these points. */
export function fakeRig(points: Readonly<Record<string, number>>, topSize?: number, rules: RigRules = {}): GatewayRig {
  const rows = Object.fromEntries(Object.entries(points).map(([playerId, value]) => [playerId, score(value)]));
  const rig = new GatewayRig(new FakeRanking(rows), topSize, rules);
  rig.hubs.start();
  return rig;
}

/** Goes round the event loop until it is so, for at most 5 s of a clock that no test holds. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  const [startedSec] = process.hrtime();
  while (process.hrtime()[0] - startedSec < 5) {
    if (isTrue()) return;
    await turns(1);
  }
  throw new Error(`it did not come true that ${what}`);
}

/**
 * Until every session has told its client what others caused: the view's 700 ms, the 240 ms over which sessions spread,
 * and a slot; timers are held.
 */
export async function pace(): Promise<void> {
  await vi.advanceTimersByTimeAsync(950);
  await turns();
}

/** The answer to a request of the client, when it has come. */
export async function answered(client: TestClient, reqId: number) {
  await until(() => client.answer(reqId) !== undefined, `request ${reqId} is answered`);
  return client.answer(reqId);
}

/** What a top window must show. */
export function expectedTop(rig: GatewayRig, limit: number) {
  return rig.ranking.board
    .rows()
    .slice(0, limit)
    .map((row) => [row.rank, row.playerId, unpackPoints(LAYOUT, row.score)]);
}

export function expectTop(client: TestClient, rig: GatewayRig, limit = rig.topSize, topic?: number): void {
  const state = client.top(topic).read(false);
  expect(state.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(expectedTop(rig, limit));
  expect(state.total).toBe(rig.ranking.board.scores.size);
  expect(client.troubles).toEqual([]);
}

/** A window around a player must show his neighbours, with their ranks. */
export function expectAround(client: TestClient, rig: GatewayRig, id: string, above: number, below: number): void {
  const rows = rig.ranking.board.rows();
  const index = rows.findIndex((row) => row.playerId === id);
  const wanted = index < 0 ? [] : rows.slice(Math.max(0, index - above), index + below + 1);
  const state = client.around().read(false);
  expect(state.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(
    wanted.map((row) => [row.rank, row.playerId, unpackPoints(LAYOUT, row.score)]),
  );
  expect(client.troubles).toEqual([]);
}

/** Friends as the client sorts them, against the board: ranked ones by rank, then those without a row. */
export function expectFriends(client: TestClient, rig: GatewayRig, ids: readonly string[]): void {
  const standings = ids.map((id) => rig.ranking.board.standing(id));
  const inOrder = standings
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.playerId), Buffer.from(b.playerId)))
    .toSorted((a, b) => (a.rank ?? Number.MAX_SAFE_INTEGER) - (b.rank ?? Number.MAX_SAFE_INTEGER));
  const state = client.friends().read(false);
  expect(state.entries.map((row) => [row.playerId, row.rank, row.score])).toEqual(
    inOrder.map((row) => [row.playerId, row.rank, row.score === null ? null : unpackPoints(LAYOUT, row.score)]),
  );
  expect(client.troubles).toEqual([]);
}

export function expectMe(client: TestClient, rig: GatewayRig, playerId: string): void {
  const standing = rig.ranking.board.standing(playerId);
  const points = standing.score === null ? null : unpackPoints(LAYOUT, standing.score);
  expect(client.me().read(false)).toMatchObject({ rank: standing.rank, score: points });
  expect(client.troubles).toEqual([]);
}
