/** Plays one flow of flows.json against the SDK: its rules, as literally as they can be written. */

import { isDeepStrictEqual } from 'node:util';
import { FrameType, type ServerFrame, WindowKind } from '../../../proto/frames.js';
import { type Client, createClient, type MyRankState, type View, type WindowState } from '../../../src/client/index.js';
import { FakeClock, settled } from '../../client/support/fake-clock.js';
import { type ScriptedSocket, scriptedNetwork } from '../../client/support/scripted-socket.js';
import type { Flow, Row, Step } from './steps.js';

/** How finely time passes where something is awaited. */
const STEP_MS = 50;

type Shown = WindowState<{ playerId: string; score: number | null; rank: number | null }> | MyRankState;

export class FlowRun {
  private readonly clock = new FakeClock();
  private readonly network = scriptedNetwork();
  private readonly client: Client;
  private readonly views = new Map<string, View<Shown>>();
  private readonly remembered = new Map<string, unknown>();
  /** How many frames of each socket were taken. */
  private readonly taken: number[] = [];
  private token: string | null;

  /** `random`: what each random number of the client is, from 0 up to but not 1. */
  constructor(
    private readonly flow: Flow,
    random: number,
  ) {
    this.token = flow.token;
    const { now, setTimeout, clearTimeout } = this.clock;
    const parts = { url: 'ws://game.test/v1/socket', WebSocket: this.network.WebSocket, now, setTimeout, clearTimeout };
    this.client = createClient({ ...parts, random: () => random, getToken: () => this.token });
  }

  /** Throws at the first step that does not hold, naming it. */
  async play(): Promise<void> {
    for (const [index, step] of this.flow.steps.entries()) {
      try {
        if (!isAwaiting(step)) this.assertNothingLeft();
        await this.take(step);
        await settled();
      } catch (error) {
        throw new Error(`step ${index + 1}, ${JSON.stringify(step)}: ${(error as Error).message}`);
      }
    }
    this.assertNothingLeft();
  }

  private async take(step: Step): Promise<void> {
    if ('watch' in step) this.views.set(step.watch, this.watch(step));
    else if ('leave' in step) this.viewOf(step.leave).close();
    else if ('token' in step) this.token = step.token;
    else if ('open' in step) await this.open(step);
    else if ('expect' in step) await this.expectEach([step.expect], step.on, step.withinMs);
    else if ('expectEach' in step) await this.expectEach(step.expectEach, step.on, step.withinMs);
    else if ('send' in step) this.socket(step.on).deliver(this.filled(step.send) as ServerFrame);
    else if ('close' in step) this.socket(step.on).lose(step.close);
    else if ('quiet' in step) await this.clock.advance(step.quiet).then(() => this.assertNothingLeft());
    else this.assertShows(step.shows, step.rows);
  }

  private watch(step: Extract<Step, { watch: string }>): View<Shown> {
    if (step.kind === WindowKind.me) return this.client.me(step.boardId);
    if (step.kind === WindowKind.friends) return this.client.friends(step.boardId);
    const [limit] = step.args;
    return this.client.top(step.boardId, typeof limit === 'number' ? { limit } : {});
  }

  private async open(step: Extract<Step, { open: number }>): Promise<void> {
    await this.until(step.withinMs, () => this.network.sockets.length >= step.open);
    if (this.network.sockets.length !== step.open)
      throw new Error(`${this.network.sockets.length} sockets were opened`);
    this.taken.push(0);
    if (step.url !== undefined) assertMatch(this.socket().url, step.url);
    this.socket().open();
  }

  private async expectEach(patterns: readonly unknown[], on: number | undefined, withinMs = 0): Promise<void> {
    await this.until(withinMs, () => this.left(on).length >= patterns.length);
    const frames = this.left(on).slice(0, patterns.length);
    this.taken[(on ?? this.taken.length) - 1] = this.framesOf(on).length - this.left(on).length + patterns.length;
    for (const pattern of patterns) {
      const at = frames.findIndex((frame) => this.matches(pattern, frame));
      if (at < 0) throw new Error(`the client sent ${JSON.stringify(frames)}`);
      this.remember(pattern, frames[at]);
      frames.splice(at, 1);
    }
  }

  /** Lets time pass until `holds`, at most `withinMs`. */
  private async until(withinMs: number, holds: () => boolean): Promise<void> {
    await settled();
    for (let passedMs = 0; !holds() && passedMs < withinMs; passedMs += STEP_MS) await this.clock.advance(STEP_MS);
  }

  private assertNothingLeft(): void {
    for (const number of this.taken.keys()) {
      const left = this.left(number + 1);
      if (left.length > 0) throw new Error(`the client sent ${JSON.stringify(left)} on socket ${number + 1}`);
    }
    const opened = this.network.sockets.length;
    // The first watch opens one at once.
    if (opened > Math.max(1, this.taken.length)) throw new Error(`the client opened socket ${opened}`);
  }

  private assertShows(window: string, rows: readonly Row[] | null): void {
    const shown = this.viewOf(window).current;
    const actual =
      shown === null ? null : 'entries' in shown ? shown.entries.map(rowOf) : [[null, shown.score, shown.rank]];
    assertMatch(actual, rows);
  }

  private viewOf(window: string): View<Shown> {
    const view = this.views.get(window);
    if (view === undefined) throw new Error(`nobody watches "${window}"`);
    return view;
  }

  private socket(number = this.taken.length): ScriptedSocket {
    const socket = this.network.sockets[number - 1];
    if (socket === undefined || number > this.taken.length) throw new Error(`there is no socket ${number}`);
    return socket;
  }

  private framesOf(on: number | undefined): readonly unknown[][] {
    return this.socket(on).sent.filter((frame) => frame[0] !== FrameType.ping);
  }

  private left(on: number | undefined): unknown[][] {
    return this.framesOf(on).slice(this.taken[(on ?? this.taken.length) - 1]);
  }

  private matches(pattern: unknown, value: unknown): boolean {
    if (isHole(pattern)) return !('is' in pattern) || isDeepStrictEqual(this.filled(pattern), value);
    if (!Array.isArray(pattern) || !Array.isArray(value)) return isDeepStrictEqual(pattern ?? null, value ?? null);
    const length = Math.max(pattern.length, value.length);
    return Array.from({ length }, (_, index) => this.matches(pattern[index], value[index])).every(Boolean);
  }

  private remember(pattern: unknown, value: unknown): void {
    if (isHole(pattern) && 'as' in pattern) this.remembered.set(pattern.as, value);
    else if (Array.isArray(pattern)) {
      for (const [index, inner] of pattern.entries()) this.remember(inner, (value as unknown[])[index]);
    }
  }

  private filled(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.filled(inner));
    if (!isHole(value) || !('is' in value)) return value;
    if (!this.remembered.has(value.is)) throw new Error(`nothing is remembered as "${value.is}"`);
    return this.remembered.get(value.is);
  }
}

type AnyHole = { any: true } | { as: string } | { is: string };

function isHole(value: unknown): value is AnyHole {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAwaiting(step: Step): boolean {
  return 'expect' in step || 'expectEach' in step || 'open' in step || 'shows' in step || 'token' in step;
}

function rowOf(row: { playerId: string; score: number | null; rank: number | null }): Row {
  return [row.playerId, row.score, row.rank];
}

function assertMatch(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`it is ${JSON.stringify(actual)}`);
}
