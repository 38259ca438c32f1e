/** What a run does, step by step: a pure function of the seed and the shape of the run, so that a seed says it all. */

import { seededRandom, zipfChoice } from './zipf.js';

export interface RunShape {
  readonly seed: number;
  readonly clients: number;
  /** Numbered from 0; the clients are spread over them. */
  readonly players: number;
  /** Results a second. */
  readonly rate: number;
  readonly rounds: number;
  readonly maxPoints: number;
}

/** Why a server must refuse a result. */
export const BAD_KINDS = [
  'negative points',
  'a time to come',
  'a time long before the season',
  'an id that is none',
] as const;
export type BadKind = (typeof BAD_KINDS)[number];

/** `good` and `repeat` are sent alike, and are the same result; a `conflict` is it with other points, and never counts. */
export type PlannedResult =
  | {
      readonly kind: 'good';
      readonly match: number;
      readonly player: number;
      readonly points: number;
      readonly ageMs: number;
    }
  | { readonly kind: 'repeat'; readonly match: number; readonly player: number }
  | { readonly kind: 'conflict'; readonly match: number; readonly player: number; readonly points: number }
  | { readonly kind: 'bad'; readonly match: number; readonly player: number; readonly why: BadKind };

export type Step =
  | { readonly kind: 'results'; readonly results: readonly PlannedResult[] }
  | { readonly kind: 'void'; readonly match: number; readonly player: number }
  | { readonly kind: 'correct'; readonly match: number; readonly player: number; readonly points: number }
  | { readonly kind: 'hide' | 'unhide'; readonly player: number }
  | { readonly kind: 'befriend' | 'unfriend'; readonly player: number; readonly friend: number }
  | { readonly kind: 'disconnect' | 'reopen'; readonly client: number }
  | { readonly kind: 'stall'; readonly client: number; readonly forMs: number }
  | { readonly kind: 'rebuild' };

/** When a step is due, milliseconds after its round began. */
export type TimedStep = Step & { readonly atMs: number };

export const ROUND_MS = 10_000;
const TICK_MS = 100;
const FRIENDS = 8;
/** Matches that repeats, voids and corrections are about. */
const REMEMBERED = 2_000;
const DAY_MS = 86_400_000;

/** Whom a client watches as. The first players play the most, so they are spread. */
export function playerOfClient(client: number, { clients, players }: RunShape): number {
  return Math.floor((client * players) / clients);
}

/** The friendships that are there before the first round: each client's player and some others. */
export function planFriends(shape: RunShape): (readonly [number, number])[] {
  const random = seededRandom(shape.seed ^ 0x5eed);
  const pairs: (readonly [number, number])[] = [];
  for (let client = 0; client < shape.clients; client++) {
    const player = playerOfClient(client, shape);
    for (let n = 0; n < FRIENDS; n++) {
      const friend = Math.floor(random() * shape.players);
      if (friend !== player) pairs.push([player, friend]);
    }
  }
  return pairs;
}

/** The rounds one after another; between them nothing is sent. One rebuild, in the middle one. */
export function* planRounds(shape: RunShape): Generator<TimedStep[]> {
  const planner = new Planner(shape);
  const middle = Math.floor(shape.rounds / 2);
  for (let round = 0; round < shape.rounds; round++) yield planner.round(round === middle);
}

interface Match {
  readonly match: number;
  readonly player: number;
}

class Planner {
  private readonly random: () => number;
  private readonly choosePlayer: () => number;
  private readonly recent: Match[] = [];
  /** Ordered before they came: their results follow with the next tick. */
  private early: Match[] = [];
  private readonly hidden = new Set<number>();
  private matches = 0;
  private owed = 0;

  constructor(private readonly shape: RunShape) {
    this.random = seededRandom(shape.seed);
    this.choosePlayer = zipfChoice(shape.players, this.random);
  }

  round(hasRebuild: boolean): TimedStep[] {
    const steps: TimedStep[] = [];
    for (let atMs = 0; atMs < ROUND_MS; atMs += TICK_MS) {
      for (const step of this.tick()) steps.push({ ...step, atMs });
      if (hasRebuild && atMs === ROUND_MS / 2) steps.push({ kind: 'rebuild', atMs });
    }
    return steps;
  }

  private tick(): Step[] {
    const steps: Step[] = [];
    const results = this.early.map((match) => this.play(match));
    this.early = [];
    this.owed += (this.shape.rate * TICK_MS) / 1_000;
    for (; this.owed >= 1; this.owed -= 1) results.push(this.anyResult());
    if (results.length > 0) steps.push({ kind: 'results', results });
    if (this.chance(0.3)) steps.push(this.order());
    if (this.chance(0.1)) steps.push(this.friendship());
    if (this.chance(0.15)) steps.push(this.trouble());
    return steps;
  }

  private anyResult(): PlannedResult {
    const known = this.known();
    const die = this.random();
    if (known !== undefined && die < 0.05) return { kind: 'repeat', ...known };
    if (known !== undefined && die < 0.06) return { kind: 'conflict', ...known, points: this.points() };
    const match = this.newMatch();
    if (die < 0.08) return { kind: 'bad', ...match, why: BAD_KINDS[this.below(BAD_KINDS.length)] ?? 'negative points' };
    return this.play(match);
  }

  private play({ match, player }: Match): PlannedResult {
    this.recent.push({ match, player });
    if (this.recent.length > REMEMBERED) this.recent.shift();
    return { kind: 'good', match, player, points: this.points(), ageMs: this.age() };
  }

  /** A bell curve on round numbers: many players have the same. */
  private points(): number {
    const share = (this.random() + this.random() + this.random()) / 3;
    const fine = Math.round(share * this.shape.maxPoints);
    const coarse = Math.max(1, Math.floor(this.shape.maxPoints / 100));
    return this.chance(0.6) ? Math.floor(fine / coarse) * coarse : fine;
  }

  /** Most results come at once, some minutes late, some days. */
  private age(): number {
    const die = this.random();
    if (die < 0.9) return 0;
    return Math.floor(this.random() * (die < 0.97 ? 600_000 : 3 * DAY_MS));
  }

  private order(): Step {
    const die = this.random();
    if (die < 0.2) return this.turnHidden();
    const isEarly = die > 0.9;
    const match = isEarly ? this.newMatch() : (this.known() ?? this.newMatch());
    if (isEarly) this.early.push(match);
    if (this.chance(0.5)) return { kind: 'void', ...match };
    return { kind: 'correct', ...match, points: this.points() };
  }

  /** At most a tenth of the players are hidden at a time. */
  private turnHidden(): Step {
    const [first] = this.hidden;
    if (first !== undefined && (this.hidden.size > this.shape.players / 10 || this.chance(0.4))) {
      this.hidden.delete(first);
      return { kind: 'unhide', player: first };
    }
    const player = this.choosePlayer();
    this.hidden.add(player);
    return { kind: 'hide', player };
  }

  private friendship(): Step {
    const player = playerOfClient(this.below(this.shape.clients), this.shape);
    const friend = (player + 1 + this.below(this.shape.players - 1)) % this.shape.players;
    return { kind: this.chance(0.6) ? 'befriend' : 'unfriend', player, friend };
  }

  private trouble(): Step {
    const client = this.below(this.shape.clients);
    const die = this.random();
    if (die < 0.4) return { kind: 'disconnect', client };
    if (die < 0.6) return { kind: 'reopen', client };
    return { kind: 'stall', client, forMs: 1_000 + this.below(5_000) };
  }

  private known(): Match | undefined {
    return this.recent[this.below(this.recent.length)];
  }

  private newMatch(): Match {
    this.matches += 1;
    return { match: this.matches, player: this.choosePlayer() };
  }

  private chance(share: number): boolean {
    return this.random() < share;
  }

  private below(count: number): number {
    return Math.floor(this.random() * count);
  }
}
