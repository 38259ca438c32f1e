/** The load: what the planner decides goes to the producer at the moment when it is due, and windows are told to expect it. */

import { Latencies } from './latencies.js';
import { dueAtMs, runOpenLoop } from './open-loop.js';
import type { PlannedResult, Planner } from './players.js';
import type { ResultProducer } from './result-producer.js';
import type { SentResult } from './sent-results.js';

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
  private readonly planner: Planner;
  private readonly producer: ResultProducer;

  constructor(planner: Planner, producer: ResultProducer) {
    this.planner = planner;
    this.producer = producer;
  }

  /** Unmeasured; rejects where they are not acknowledged. */
  async sendFirst(planned: readonly PlannedResult[]): Promise<void> {
    const achievedAt = Date.now();
    const results = planned.map(({ playerId, points }): SentResult => {
      return { matchId: `first-${playerId}`, playerId, points, achievedAt };
    });
    if (!(await this.producer.send(results))) {
      throw new Error(`Kafka did not take the first results: ${this.producer.failures.at(-1)}`);
    }
  }

  /** `end`: ends the load before its time, in order; `signal`: by a rejection. */
  start({ rate, warmup, seconds }: Phases, signal: AbortSignal, end?: AbortSignal): RunningLoad {
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
        const achievedAt = Math.floor(dueMs + epochOffsetMs);
        results.push(sentResult(event, this.planner.next(achievedAt), dueMs, achievedAt));
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
      done: runOpenLoop({ rate, count: (warmup + seconds) * rate, startAtMs, release, signal, end }),
    };
  }
}

function sentResult(event: number, planned: PlannedResult, dueMs: number, achievedAt: number): SentResult {
  const { playerId, points, shown } = planned;
  // Before it is sent: a frame can never come first.
  shown?.due.add(shown.points, dueMs);
  return { matchId: `result-${event}`, playerId, points, achievedAt };
}
