/** The demo's game: players of different skill finish matches all the time, and the results go in like any others. */

import { randomUUID } from 'node:crypto';
import type { Mode } from '../domain/board.js';

export interface SimulatorOptions {
  /** Durable when it resolves; a rejection is answered by a pause. */
  readonly append: (records: readonly { key: string; value: Uint8Array }[]) => Promise<void>;
  readonly players: readonly string[];
  readonly mode: Mode;
  /** Matches a second. */
  readonly rate: number;
  readonly onError: (error: unknown) => void;
}

const STEP_MS = 50;
const PAUSE_MS = 1_000;
/** Points that a player of average skill makes. */
const TYPICAL_POINTS = 2_000;

export class MatchSimulator {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private owed = 0;

  constructor(private readonly options: SimulatorOptions) {}

  start(): void {
    this.schedule(STEP_MS);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private schedule(delayMs: number): void {
    if (!this.isStopped) this.timer = setTimeout(() => void this.step(), delayMs);
  }

  private async step(): Promise<void> {
    this.owed += (this.options.rate * STEP_MS) / 1_000;
    const count = Math.floor(this.owed);
    this.owed -= count;
    try {
      if (count > 0) await this.options.append(Array.from({ length: count }, () => this.playMatch()));
      this.schedule(STEP_MS);
    } catch (error) {
      this.options.onError(error);
      this.schedule(PAUSE_MS);
    }
  }

  /** One player's result: skill with luck, and the longer the season the rarer a new best. */
  private playMatch(): { key: string; value: Uint8Array } {
    const { players, mode } = this.options;
    const index = Math.floor(Math.random() * players.length);
    const playerId = players[index] ?? 'nobody';
    const skill = 1 + 1.5 * (1 - index / players.length);
    const points = Object.fromEntries(
      Object.entries(mode.fields).map(([field, { min, max }]) => [field, Math.min(Math.max(play(skill), min), max)]),
    );
    const result = { matchId: randomUUID(), playerId, mode: mode.mode, points, achievedAt: Date.now() };
    return { key: playerId, value: Buffer.from(JSON.stringify(result)) };
  }
}

function play(skill: number): number {
  // The sum of three is a bell curve good enough for a game; its tail keeps records possible for hours.
  const luck = (Math.random() + Math.random() + Math.random()) / 3 - Math.log(1 - Math.random()) * 0.15;
  return Math.round(TYPICAL_POINTS * skill * (0.5 + luck));
}
