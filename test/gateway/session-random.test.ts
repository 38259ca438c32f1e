/** Everything at once: windows of several sessions end exact, whatever happened to them on the way. */

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FrameType, WindowKind } from '../../proto/frames.js';
import { FrameBudget } from '../../src/gateway/frame-budget.js';
import { TRICKY_IDS } from '../views/support/brute-board.js';
import { holdTimers, turns } from '../views/support/view-rig.js';
import {
  expectAround,
  expectFriends,
  expectMe,
  expectTop,
  fakeRig,
  type GatewayRig,
  pace,
  score,
} from './support/gateway-rig.js';
import type { TestClient } from './support/test-client.js';

type Rows = typeof WindowKind.friends | typeof WindowKind.players | typeof WindowKind.around;

const ARGS: Readonly<Record<Rows, readonly unknown[]>> = {
  [WindowKind.friends]: [],
  [WindowKind.players]: [TRICKY_IDS],
  [WindowKind.around]: [2, 1],
};

const PLAYERS = ['a', '😀', 'Ａ'] as const;

type Move = readonly [playerId: string, points: number | null];
type Step =
  | { readonly kind: 'move'; readonly moves: readonly Move[] }
  | { readonly kind: 'friends'; readonly who: number; readonly list: readonly string[] }
  | { readonly kind: 'full' | 'drain' | 'resync' | 'again' | 'back'; readonly who: number }
  | { readonly kind: 'turn' | 'pace' | 'replace' | 'lose' };

const playerId = fc.constantFrom(...TRICKY_IDS);
const points = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 9 }) }, { weight: 1, arbitrary: fc.constant(null) });
const who = fc.nat({ max: PLAYERS.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      moves: fc.array(fc.tuple(playerId, points), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('friends' as const),
      who,
      list: fc.uniqueArray(playerId, { maxLength: 5 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('full' as const, 'drain' as const, 'resync' as const, 'again' as const, 'back' as const),
      who,
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ kind: fc.constantFrom('turn' as const, 'turn' as const, 'turn' as const, 'pace' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('replace' as const, 'lose' as const) }) },
);

const scored = (moves: readonly Move[]) =>
  moves.map(([id, value]) => [id, value === null ? null : score(value)] as const);

class Stage {
  readonly rig: GatewayRig = fakeRig({ a: 3, '😀': 3, Ａ: 3, b: 1, '9': 5, '~': 0, '10': 2 }, 4);
  readonly clients: TestClient[] = [];

  /** `rows`: the third window, of friends, of all players, or around oneself. */
  constructor(private readonly rows: Rows) {}

  async start(): Promise<this> {
    for (const [index, id] of PLAYERS.entries()) {
      this.rig.friends.lists.set(id, TRICKY_IDS.slice(index, index + 4));
      this.clients.push(await this.arrive(index));
    }
    return this;
  }

  /** A new session for a player; with the windows that an earlier one held, if there was one. */
  private async arrive(index: number, before?: TestClient): Promise<TestClient> {
    const client = await this.rig.client(PLAYERS[index] ?? '');
    const held = before === undefined ? [] : [...before.windows.values()];
    const reqIds = this.subscribe(client, held);
    const isAnswered = () => reqIds.every((reqId) => client.answer(reqId) !== undefined);
    await turns(3);
    for (let i = 0; i < 20 && !isAnswered(); i++) await this.pace();
    expect(isAnswered()).toBe(true);
    for (const reqId of reqIds) expect(client.answer(reqId)?.[0]).toBe(FrameType.subscribed);
    return client;
  }

  private subscribe(client: TestClient, held: readonly Parameters<TestClient['subscribe']>[3][] = []): number[] {
    const args = ARGS[this.rows];
    const asked = [WindowKind.top, WindowKind.me, this.rows];
    return asked.map((kind, order) => client.subscribe(kind, kind === this.rows ? args : [], 'arena', held[order]));
  }

  async run(one: Step): Promise<void> {
    if (one.kind === 'move') this.rig.ranking.apply(...scored(one.moves));
    else if (one.kind === 'lose') this.rig.ranking.applyLost(['b', score(8)], ['~', score(7)]);
    else if (one.kind === 'replace')
      this.rig.ranking.replace(2, { a: score(1), '~': score(5), b: score(5), '9': score(4) });
    else if (one.kind === 'turn') await turns(1);
    else if (one.kind === 'pace') await this.pace();
    else if (one.kind === 'friends') this.rig.friends.change(PLAYERS[one.who] ?? '', one.list);
    else if ('who' in one) await this.runOn(one.kind, one.who);
  }

  private async runOn(kind: 'full' | 'drain' | 'resync' | 'again' | 'back', index: number): Promise<void> {
    const client = this.clients[index];
    if (client === undefined) return;
    if (kind === 'full') client.socket.answer = 'queued';
    else if (kind === 'drain') this.drain(client);
    else if (kind === 'resync')
      for (const topic of client.windows.keys()) client.send([FrameType.resync, topic, 0, 0, 1]);
    else if (kind === 'again') this.subscribe(client);
    else {
      this.drain(client);
      await turns();
      client.session.closed(1_006);
      this.clients[index] = await this.arrive(index, client);
    }
  }

  private drain(client: TestClient): void {
    client.socket.answer = 'sent';
    client.session.drained();
  }

  private async pace(): Promise<void> {
    this.rig.ranking.tellPosition();
    await pace();
  }

  async expectExact(): Promise<void> {
    for (const client of this.clients) this.drain(client);
    // A read that waits for entries which were lost gives up after 5 s and is begun anew.
    await vi.advanceTimersByTimeAsync(6_000);
    for (let i = 0; i < 4; i++) await this.pace();
    for (const [index, client] of this.clients.entries()) {
      const id = PLAYERS[index] ?? '';
      expectTop(client, this.rig);
      expectMe(client, this.rig, id);
      const friends = [...new Set([id, ...(this.rig.friends.lists.get(id) ?? [])])];
      if (this.rows === WindowKind.around) expectAround(client, this.rig, id, 2, 1);
      else expectFriends(client, this.rig, this.rows === WindowKind.friends ? friends : TRICKY_IDS);
      client.session.closed(1_006);
    }
    await turns();
    expect([this.rig.hub.view.trackedCount, this.rig.friends.pinCount, this.rig.friends.heldCount]).toEqual([0, 0, 0]);
    expect([...this.rig.counters.topics.values()]).toEqual([0, 0, 0]);
    this.rig.close();
  }
}

describe('Sessions', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it.each([
    ['friends', WindowKind.friends],
    ['a watch list', WindowKind.players],
    ['neighbours', WindowKind.around],
  ] as const)('end exact with %s, whatever was sent, blocked, lost, replaced and asked again', async (_, rows) => {
    holdTimers();
    // The budget of client frames has tests of its own.
    vi.spyOn(FrameBudget.prototype, 'take').mockReturnValue('within');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const stage = await new Stage(rows).start();
        for (const one of steps) await stage.run(one);
        await stage.expectExact();
      }),
      { numRuns: 80 },
    );
  });
});
