/**
 * Sessions over the real schedule, with ticks, phases and bursts: what each client shows was true a moment ago, is never older
 * than what it showed before, and is what every SYNC says.
 */

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FrameType, type ServerFrame } from '../../proto/frames.js';
import { RankWindow } from '../../src/client/rank-window.js';
import { readFrames } from '../../src/client/read-frame.js';
import { UnplacedWindow } from '../../src/client/unplaced-window.js';
import { unpackPoints } from '../../src/domain/packed-score.js';
import { FrameBudget } from '../../src/gateway/frame-budget.js';
import type { Session } from '../../src/gateway/session.js';
import { FIRST_OWN_TOPIC } from '../../src/gateway/windows.js';
import { encodeFrame } from '../../src/wire/encode.js';
import { BruteBoard, TRICKY_IDS } from '../views/support/brute-board.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import {
  expectFriends,
  expectMe,
  expectTop,
  fakeRig,
  type GatewayRig,
  LAYOUT,
  pace,
  score,
  until,
} from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

const PLAYERS = ['a', '😀', 'Ａ'] as const;
const POINTS = { a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0, '10': 2 };
const TICK_MS = 25;
const SYNC_CAPS = 7;
/** What the specification promises for ranks that others moved, and one tick and a slot for own results. */
const MOVED_WITHIN_MS = 1_000;
const RESULT_WITHIN_MS = TICK_MS + 4;

type Move = readonly [playerId: string, points: number | null];
const WHO = [
  'full',
  'drain',
  'resync',
  'again',
  'leave',
  'enter',
  'back',
  'silence',
  'refresh',
  'sync',
  'ping',
] as const;
type Step =
  | { readonly kind: 'move' | 'lose'; readonly moves: readonly Move[] }
  | { readonly kind: 'friends'; readonly who: number; readonly list: readonly string[] }
  | { readonly kind: (typeof WHO)[number]; readonly who: number; readonly phase: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'turn' | 'replace' | 'position' | 'settle' | 'syncAll' };

const playerId = fc.constantFrom(...TRICKY_IDS);
const points = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 9 }) }, { weight: 1, arbitrary: fc.constant(null) });
const who = fc.nat({ max: PLAYERS.length - 1 });
const phase = fc.constantFrom(0, 0.05, 0.3, 0.6, 0.95, 0.999);
const moves = fc.array(fc.tuple(playerId, points), { minLength: 1, maxLength: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: fc.record({ kind: fc.constant('move' as const), moves }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('friends' as const),
      who,
      list: fc.uniqueArray(playerId, { maxLength: 5 }),
    }),
  },
  { weight: 9, arbitrary: fc.record({ kind: fc.constantFrom(...WHO), who, phase }) },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 3, 10, 26, 60, 130, 250, 460, 701),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'turn' as const,
        'settle' as const,
        'settle' as const,
        'syncAll' as const,
        'syncAll' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'replace' as const }, { kind: 'position' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), moves }) },
);

type Standing = readonly [rank: number | null, points: number | null];

/** Every standing that was ever true, in order. */
class Truth {
  private board = new BruteBoard();
  private readonly standings: ReadonlyMap<string, Standing>[] = [];
  private readonly times: number[] = [];

  constructor(rows: Readonly<Record<string, number>>) {
    this.replace(rows);
  }

  get last(): number {
    return this.standings.length - 1;
  }

  replace(rows: Readonly<Record<string, number>>): void {
    this.board = new BruteBoard();
    for (const [id, value] of Object.entries(rows)) this.board.scores.set(id, score(value));
    this.record();
  }

  apply([id, value]: Move): void {
    if (this.board.apply(id, value === null ? null : score(value), 0) !== null) this.record();
  }

  /** The first moment from `from` on at which he stood so, -1 where there is none. */
  find(id: string, [rank, value]: Standing, from: number): number {
    for (let i = from; i <= this.last; i += 1) {
      const found = this.standings[i]?.get(id);
      if (found?.[0] === rank && found[1] === value) return i;
    }
    return -1;
  }

  /** Whether it was true within the last `withinMs`. */
  wasTrue(id: string, withinMs: number, isIt: (standing: Standing) => boolean): boolean {
    for (let i = this.last; i >= 0; i -= 1) {
      if (i < this.last && (this.times[i + 1] ?? 0) < performance.now() - withinMs) return false;
      const found = this.standings[i]?.get(id);
      if (found !== undefined && isIt(found)) return true;
    }
    return false;
  }

  private record(): void {
    this.standings.push(
      new Map(
        TRICKY_IDS.map((id) => {
          const { rank, score: packed } = this.board.standing(id);
          return [id, [rank, packed === null ? null : unpackPoints(LAYOUT, packed)]];
        }),
      ),
    );
    this.times.push(performance.now());
  }
}

interface Totals {
  syncs: number;
}

/** A client whose every frame is looked at. */
class Watched {
  /** By topic and player: the moment of the last row. */
  private readonly shownAt = new Map<string, number>();
  isSilent = false;
  /** What it shows of friends may be older: its list has changed. */
  friendsFrom = 0;

  constructor(
    readonly client: TestClient,
    readonly playerId: string,
    private readonly truth: Truth,
    private readonly totals: Totals,
  ) {
    const take = client.socket.onSent;
    client.socket.onSent = (bytes) => {
      for (const frame of readFrames(bytes)) {
        const sync = frame[0] === FrameType.sync ? frame : null;
        if (sync !== null) this.compare(sync);
        take(encodeFrame(frame));
        this.look(frame);
      }
    };
  }

  forget(): void {
    this.shownAt.clear();
  }

  private compare([, topic, epoch, seq, check]: Extract<ServerFrame, readonly [37, ...unknown[]]>): void {
    this.totals.syncs += 1;
    const fold = this.client.windows.get(topic);
    if (fold === undefined) return void this.client.troubles.push(`SYNC of topic ${topic}`);
    const { position } = fold;
    if (epoch === position?.epoch && seq === position.seq && (check === null || check === fold.check())) return;
    this.client.troubles.push(`SYNC (${epoch}, ${seq}, ${check}), shown ${JSON.stringify(position)} ${fold.check()}`);
  }

  private look(frame: ServerFrame): void {
    const [type, topic] = frame as unknown as [number, number];
    if (type < FrameType.snapshot || type > FrameType.sync || topic < FIRST_OWN_TOPIC) return;
    if (this.isSilent) this.client.troubles.push(`frame ${type} in the silence`);
    if (frame[0] === FrameType.rank) this.row(topic, this.playerId, frame[3], frame[5]);
    const fold = this.client.windows.get(topic);
    if (!(fold instanceof UnplacedWindow) || fold.position === null) return;
    if (frame[0] === FrameType.snapshot) {
      for (const row of fold.read(false).entries) {
        this.row(topic, row.playerId, row.rank, row.score);
      }
    }
    if (frame[0] !== FrameType.delta) return;
    const names = new Map<number, string>();
    const inside = (fold as unknown as { byRef: Map<number, { playerId: string }> }).byRef;
    for (const [ref, row] of inside) names.set(ref, row.playerId);
    for (const change of frame[5] as unknown as [number, number | null, number | null, number | null][]) {
      this.row(topic, names.get(change[0]) ?? '?', change[2], change[1]);
    }
  }

  private row(topic: number, id: string, rank: number | null, value: number | null): void {
    const key = `${topic} ${id}`;
    const from = this.shownAt.get(key) ?? 0;
    const at = this.truth.find(id, [rank, value], from);
    if (at === -1) this.client.troubles.push(`${id} at ${rank} with ${value} is older than what was sent before`);
    else this.shownAt.set(key, at);
  }

  expectFresh(friends: readonly string[]): void {
    const { client } = this;
    expect(client.troubles).toEqual([]);
    if (client.session.outbox.isBlocked || this.isSilent) return;
    for (const fold of client.windows.values()) {
      if (fold instanceof RankWindow && fold.hasState) this.expectRow(this.playerId, fold.read(false), 'me');
      if (!(fold instanceof UnplacedWindow) || fold.position === null || performance.now() < this.friendsFrom) continue;
      for (const row of fold.read(false).entries) {
        if (row.playerId === this.playerId || friends.includes(row.playerId))
          this.expectRow(row.playerId, row, 'friends');
      }
    }
  }

  private expectRow(id: string, shown: { rank: number | null; score: number | null }, where: string): void {
    const { rank, score: value } = shown;
    const isFresh = this.truth.wasTrue(id, MOVED_WITHIN_MS, (one) => one[0] === rank && one[1] === value);
    if (!isFresh) expect.fail(`${where} shows ${id} at ${rank} with ${value} for more than ${MOVED_WITHIN_MS} ms`);
    const hasScore = this.truth.wasTrue(id, RESULT_WITHIN_MS, (one) => one[1] === value);
    if (!hasScore) expect.fail(`${where} shows ${id} with ${value} for more than ${RESULT_WITHIN_MS} ms`);
  }
}

class Stage {
  readonly rig: GatewayRig = fakeRig(POINTS, 4);
  readonly truth = new Truth(POINTS);
  readonly watched: Watched[] = [];
  private phase = 0;
  private seenGeneration = 0;
  /** Until when the view is known to be behind. */
  private freshFrom = 0;

  constructor(private readonly totals: Totals) {
    (this.rig.schedule as unknown as { pace: { tickMs: number } }).pace.tickMs = TICK_MS;
    vi.spyOn(Math, 'random').mockImplementation(() => this.phase);
  }

  async start(phases: readonly number[]): Promise<this> {
    for (const [index, id] of PLAYERS.entries()) {
      this.rig.friends.lists.set(id, TRICKY_IDS.slice(index, index + 4));
      this.watched.push(await this.arrive(index, phases[index] ?? 0));
    }
    return this;
  }

  private async arrive(index: number, phaseOf: number, before?: TestClient): Promise<Watched> {
    this.phase = phaseOf;
    const id = PLAYERS[index] ?? '';
    const client = await this.rig.client(id, SYNC_CAPS);
    const watched = new Watched(client, id, this.truth, this.totals);
    const held = before === undefined ? [] : [...before.windows.values()];
    const reqIds = [1, 3, 4].map((kind, order) =>
      client.subscribe(kind, [], 'arena', before?.windows.size === 3 ? held[order] : undefined),
    );
    const isAnswered = (): boolean => reqIds.every((reqId) => client.answer(reqId) !== undefined);
    await turns(3);
    for (let i = 0; i < 20 && !isAnswered(); i++) await this.pace();
    for (const reqId of reqIds) expect(client.answer(reqId)?.[0]).toBe(FrameType.subscribed);
    return watched;
  }

  async run(one: Step): Promise<void> {
    switch (one.kind) {
      case 'move':
      case 'lose': {
        for (const move of one.moves) this.truth.apply(move);
        const scored = one.moves.map(([id, value]) => [id, value === null ? null : score(value)] as const);
        if (one.kind === 'move') this.rig.ranking.apply(...scored);
        else this.rig.ranking.applyLost(...scored);
        break;
      }
      case 'replace': {
        const rows = { a: 1, '~': 5, b: 5, '9': 4 };
        this.rig.ranking.replace(2, Object.fromEntries(Object.entries(rows).map(([id, value]) => [id, score(value)])));
        this.truth.replace(rows);
        break;
      }
      case 'position':
        this.rig.ranking.tellPosition();
        break;
      case 'settle':
        // As a full tick of the tracker does.
        (this.rig.hub.view as unknown as { tracker: { settle(): void } }).tracker.settle();
        break;
      case 'turn':
        await turns(1);
        return;
      case 'syncAll':
        for (const watched of this.watched) this.sync(watched.client.session);
        break;
      case 'pass':
        for (let left = one.ms; left > 0; left -= 20) {
          await vi.advanceTimersByTimeAsync(Math.min(left, 20));
          await this.look();
        }
        break;
      case 'friends': {
        const watched = this.watched[one.who];
        if (watched !== undefined) watched.friendsFrom = performance.now() + MOVED_WITHIN_MS;
        this.rig.friends.change(PLAYERS[one.who] ?? '', one.list);
        break;
      }
      default:
        await this.runOn(one.kind, one.who, one.phase);
    }
    this.notice();
  }

  private async runOn(kind: (typeof WHO)[number], index: number, phaseOf: number): Promise<void> {
    const watched = this.watched[index];
    if (watched === undefined) return;
    const { client } = watched;
    if (kind === 'full') client.socket.answer = 'queued';
    else if (kind === 'drain') this.drain(client);
    else if (kind === 'resync')
      for (const topic of client.windows.keys()) client.send([FrameType.resync, topic, 0, 0, 1]);
    else if (kind === 'again' || kind === 'enter') for (const window of [1, 3, 4]) client.subscribe(window);
    else if (kind === 'leave') {
      const topic = [...client.windows.keys()].at(-1);
      if (topic !== undefined) client.send([FrameType.unsubscribe, 9_999, topic]);
    } else if (kind === 'silence') {
      client.session.silence();
      watched.isSilent = true;
    } else if (kind === 'refresh') await this.refresh(watched);
    else if (kind === 'sync') this.sync(client.session);
    else if (kind === 'ping') client.send([FrameType.ping, 1]);
    else {
      this.drain(client);
      await turns();
      client.session.closed(1_006);
      this.watched[index] = await this.arrive(index, phaseOf, client);
    }
  }

  /** The time of SYNC has come for every window. */
  private sync(session: Session): void {
    const { subscriptions } = session as unknown as { subscriptions: { windows: { syncAt: number }[] } };
    for (const window of subscriptions.windows) window.syncAt = 0;
    session.tick(performance.now());
  }

  private async refresh(watched: Watched): Promise<void> {
    const token = await this.rig.tokens.sign(watched.playerId, 3_600);
    watched.isSilent = false;
    watched.client.refresh(token);
    // A silence that comes before the token is checked would end with it.
    const session = watched.client.session as unknown as { work: Promise<void> | null };
    // Behind a window that is opened, which waits until the view is current: at most for a read of entries that were lost.
    for (let waitedMs = 0; waitedMs < 7_000 && session.work !== null; waitedMs += 250) {
      await turns();
      if (session.work !== null) await vi.advanceTimersByTimeAsync(250);
      this.notice();
    }
    await until(() => session.work === null, 'the token is checked');
  }

  private drain(client: TestClient): void {
    client.socket.answer = 'sent';
    if (client.session.outbox.isBlocked) client.session.drained();
  }

  /** Whatever the view does not know cannot be shown. */
  private notice(): void {
    const { view } = this.rig.hub;
    const { generation } = view as unknown as { generation: number };
    if (generation !== this.seenGeneration) {
      this.seenGeneration = generation;
      for (const watched of this.watched) watched.forget();
    }
    const isBehind = !view.isCurrent || view.seq !== this.rig.ranking.seq || view.epoch !== this.rig.ranking.epoch;
    if (isBehind) this.freshFrom = performance.now() + MOVED_WITHIN_MS;
  }

  private async look(): Promise<void> {
    this.notice();
    await turns(2);
    this.notice();
    for (const watched of this.watched) {
      expect(watched.client.troubles).toEqual([]);
      if (performance.now() < this.freshFrom) continue;
      watched.expectFresh(this.rig.friends.lists.get(watched.playerId) ?? []);
    }
  }

  private async pace(): Promise<void> {
    this.rig.ranking.tellPosition();
    await pace();
    this.notice();
  }

  async expectExact(): Promise<void> {
    for (const { client } of this.watched) this.drain(client);
    await turns();
    for (const watched of this.watched) await this.refresh(watched);
    await vi.advanceTimersByTimeAsync(6_000);
    for (let i = 0; i < 4; i++) await this.pace();
    for (const { client } of this.watched) for (const kind of [1, 3, 4]) client.subscribe(kind);
    for (let i = 0; i < 4; i++) await this.pace();
    for (const { client } of this.watched) {
      client.clear();
      this.sync(client.session);
    }
    await this.pace();
    for (const { client, playerId: id } of this.watched) {
      // Every window, without anything else that happens.
      expect(client.types()).toEqual([FrameType.sync, FrameType.sync, FrameType.sync]);
      expectTop(client, this.rig);
      expectMe(client, this.rig, id);
      expectFriends(client, this.rig, [...new Set([id, ...(this.rig.friends.lists.get(id) ?? [])])]);
      client.session.closed(1_006);
    }
    await turns();
    expect(this.rig.flushErrors).toEqual([]);
    expect(this.rig.logged.filter((line) => line.level >= 50)).toEqual([]);
    expect([this.rig.hub.view.trackedCount, this.rig.friends.pinCount, this.rig.friends.heldCount]).toEqual([0, 0, 0]);
    const { slots } = this.rig.schedule as unknown as { slots: ReadonlyMap<number, unknown> };
    await vi.advanceTimersByTimeAsync(1_000);
    expect(slots.size).toBe(0);
    this.rig.close();
  }
}

const RUNS = 40;

describe('Sessions on the real schedule', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('show what was true a moment ago, never go back, and agree with every SYNC', async () => {
    holdTimers();
    vi.spyOn(FrameBudget.prototype, 'take').mockReturnValue('within');
    const totals: Totals = { syncs: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(phase, { minLength: 3, maxLength: 3 }),
        fc.array(step, { minLength: 1, maxLength: 45, size: 'max' }),
        async (phases, steps) => {
          const stage = await new Stage(totals).start(phases);
          for (const one of steps) await stage.run(one);
          await stage.expectExact();
        },
      ),
      { numRuns: RUNS },
    );
    expect(totals.syncs).toBeGreaterThan(0);
  }, 120_000);
});
