/** The load: what the planner decides goes to the producer at the moment when it is due, and windows are told to expect it. */

import { Latencies } from './latencies.js';
import { dueAtMs, runOpenLoop } from './open-loop.js';
import type { PlannedResult, ResultPlanner } from './players.js';
import type { ResultProducer, SentResult } from './result-producer.js';

/** Time to come round to the first tick, so that the first results are not late. */
const LEAD_MS = 50;

export interface Phases {
  /** Results per second. */
  readonly rate: number;
  /** Seconds. */
  readonly warmup: number;
  /** Seconds, measured. */
  readonly seconds: number;
}

export interface RunningLoad {
  /** When the first measured result is due, and when the window ends, by `performance.now()`. */
  readonly measuredFromMs: number;
  readonly measuredToMs: number;
  /** Resolves with the last release; the answers come later. */
  readonly done: Promise<void>;
}

export class ResultLoad {
  /** From the moment a send is due to the call of the producer. */
  readonly lag = new Latencies();
  /** From the moment a send is due to the broker's answer. */
  readonly acknowledgements = new Latencies();
  private readonly planner: ResultPlanner;
  private readonly producer: ResultProducer;

  constructor(planner: ResultPlanner, producer: ResultProducer) {
    this.planner = planner;
    this.producer = producer;
  }

  /** One result for each player, unmeasured; rejects where they are not acknowledged. */
  async sendFirst(): Promise<void> {
    const achievedAt = Date.now();
    const results = this.planner.firstResults().map(({ player, points }): SentResult => {
      return { matchId: `first-${player.index}`, playerId: player.playerId, points, achievedAt };
    });
    if (!(await this.producer.send(results))) {
      throw new Error(`Kafka did not take the first results: ${this.producer.failures.at(-1)}`);
    }
  }

  start({ rate, warmup, seconds }: Phases, signal: AbortSignal): RunningLoad {
    const startAtMs = performance.now() + LEAD_MS;
    const measuredFromMs = dueAtMs(startAtMs, rate, warmup * rate);
    this.lag.measureFrom(measuredFromMs);
    this.acknowledgements.measureFrom(measuredFromMs);
    const epochOffsetMs = Date.now() - performance.now();
    const release = (from: number, to: number): void => {
      const sentAtMs = performance.now();
      const results: SentResult[] = [];
      for (let event = from; event < to; event++) {
        const dueMs = dueAtMs(startAtMs, rate, event);
        this.lag.record(dueMs, sentAtMs);
        results.push(sentResult(event, this.planner.next(), dueMs, epochOffsetMs));
      }
      void this.producer.send(results).then((isAcknowledged) => {
        const answeredAtMs = performance.now();
        for (let event = from; isAcknowledged && event < to; event++) {
          this.acknowledgements.record(dueAtMs(startAtMs, rate, event), answeredAtMs);
        }
      });
    };
    return {
      measuredFromMs,
      measuredToMs: measuredFromMs + seconds * 1_000,
      done: runOpenLoop({ rate, count: (warmup + seconds) * rate, startAtMs, release, signal }),
    };
  }
}

function sentResult(event: number, planned: PlannedResult, dueMs: number, epochOffsetMs: number): SentResult {
  const { player, points, improves } = planned;
  // Before it is sent: a frame can never come first.
  if (improves) player.due.add(points, dueMs);
  return {
    matchId: `result-${event}`,
    playerId: player.playerId,
    points,
    achievedAt: Math.floor(dueMs + epochOffsetMs),
  };
}
