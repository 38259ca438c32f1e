/** Plays the steps of a plan on a server, and writes down what should come of them. */

import type { BoardFacts } from './board-facts.js';
import type { Cast } from './cast.js';
import type { FriendGraph } from './friendships.js';
import type { GameServer } from './game-server.js';
import type { BadKind, PlannedResult, Step } from './plan.js';
import type { PlayedResult, PlayedResults } from './played-results.js';
import type { Watcher } from './watcher.js';

export interface StepPlayerOptions {
  readonly facts: BoardFacts;
  readonly cast: Cast;
  readonly server: GameServer;
  readonly results: PlayedResults;
  readonly friends: FriendGraph;
  readonly watchers: readonly Watcher[];
  /** Begins one beside the steps that follow. */
  readonly rebuild: () => void;
}

const AHEAD_MS = 600_000;
const LONG_AGO_MS = 400 * 86_400_000;

export class StepPlayer {
  /** Records sent, those to be refused included. */
  sent = 0;
  refused = 0;
  /** What the server took and should not have, and the other way round. */
  readonly misjudged: string[] = [];

  constructor(private readonly options: StepPlayerOptions) {}

  /** Resolves when the server has it for good; steps are played one after the other, as their order counts. */
  async play(step: Step): Promise<void> {
    const { cast, server, results, friends, watchers, facts, rebuild } = this.options;
    switch (step.kind) {
      case 'results':
        return await this.send(step.results);
      case 'void':
        await server.void(cast.match(step.match), cast.player(step.player));
        return results.void(cast.match(step.match));
      case 'correct': {
        const points = cast.points(step.points);
        const [matchId, playerId] = [cast.match(step.match), cast.player(step.player)];
        await server.correct(matchId, playerId, facts.mode, { [facts.field]: points });
        return results.correct(matchId, points);
      }
      case 'hide':
      case 'unhide':
        return await this.setHidden(step.player, step.kind === 'hide');
      case 'befriend':
      case 'unfriend': {
        const [playerId, friendId] = [cast.player(step.player), cast.player(step.friend)];
        await server.setFriends(playerId, friendId, step.kind === 'befriend');
        return friends.set(playerId, friendId, step.kind === 'befriend');
      }
      case 'disconnect':
        return watchers[step.client]?.disconnect();
      case 'reopen':
        return watchers[step.client]?.reopen();
      case 'stall':
        return watchers[step.client]?.stall(step.forMs);
      case 'rebuild':
        return rebuild();
      default:
        step satisfies never;
    }
  }

  async setHidden(player: number, isHidden: boolean): Promise<void> {
    const { cast, server, results } = this.options;
    const playerId = cast.player(player);
    await server.setHidden(playerId, isHidden);
    if (isHidden) results.hide(playerId);
    else results.unhide(playerId);
  }

  private async send(planned: readonly PlannedResult[]): Promise<void> {
    const now = Date.now();
    const records = planned.map((one) => this.recordOf(one, now));
    const rejected = new Map((await this.options.server.send(records)).map(({ index, code }) => [index, code]));
    this.sent += planned.length;
    this.refused += rejected.size;
    for (const [index, one] of planned.entries()) {
      const code = rejected.get(index);
      if (one.kind === 'bad' && code === undefined) this.misjudged.push(`a result with ${one.why} was taken`);
      if (one.kind !== 'bad' && code !== undefined) this.misjudged.push(`a ${one.kind} result was refused: ${code}`);
    }
  }

  /** What is sent; a good one is written down. */
  private recordOf(planned: PlannedResult, now: number): object {
    const { cast, results } = this.options;
    const matchId = cast.match(planned.match);
    switch (planned.kind) {
      case 'good': {
        results.add(this.resultOf(planned, now));
        return this.toRecord(results.find(matchId));
      }
      case 'repeat':
        return this.toRecord(results.find(matchId));
      case 'conflict':
        return { ...this.toRecord(results.find(matchId)), points: this.fields(cast.points(planned.points)) };
      case 'bad':
        return {
          ...this.toRecord(this.resultOf({ ...planned, points: 1, ageMs: 0 }, now)),
          ...this.fault(planned.why, now),
        };
    }
  }

  private resultOf(
    { match, player, points, ageMs }: { match: number; player: number; points: number; ageMs: number },
    now: number,
  ): PlayedResult {
    const { cast, facts } = this.options;
    const [scope] = facts.scopes;
    return {
      matchId: cast.match(match),
      playerId: cast.player(player),
      points: cast.points(points),
      achievedAt: Math.max(now - ageMs, facts.season.startsAt),
      scopes: scope === undefined ? {} : { [scope]: cast.scopeValue(player) },
    };
  }

  private toRecord(result: PlayedResult | undefined): object {
    if (result === undefined) throw new Error('a plan repeats what it has played before');
    return { ...result, mode: this.options.facts.mode, points: this.fields(result.points) };
  }

  private fields(points: number): Readonly<Record<string, number>> {
    return { [this.options.facts.field]: points };
  }

  private fault(why: BadKind, now: number): object {
    switch (why) {
      case 'negative points':
        return { points: this.fields(-1) };
      case 'a time to come':
        return { achievedAt: now + AHEAD_MS };
      case 'a time long before the season':
        return { achievedAt: this.options.facts.season.startsAt - LONG_AGO_MS };
      case 'an id that is none':
        return { playerId: 'a\u0001' };
    }
  }
}
