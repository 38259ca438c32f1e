import { describe, expect, it } from 'vitest';
import { findDoubts } from '../../loadtest/lib/fanout-figures.js';
import { Latencies } from '../../loadtest/lib/latencies.js';

function lagOf(lagMs: number): Latencies {
  const lag = new Latencies();
  lag.measureFrom(0);
  lag.record(0, lagMs);
  return lag;
}

describe('doubts about a run', () => {
  it('are none where the generator had time to spare', () => {
    expect(findDoubts({ generatorCpuRatio: 0.85 }, lagOf(11))).toEqual([]);
  });

  it('name a generator that was at its limit', () => {
    expect(findDoubts({ generatorCpuRatio: 0.9 }, lagOf(4))).toEqual([
      'the generator used 90 % of a core (limit 85 %)',
    ]);
  });

  it('name a generator that sent late', () => {
    expect(findDoubts({ generatorCpuRatio: 0.5 }, lagOf(14))[0]).toMatch(/^the generator sent late: p99 14\.0 ms/);
  });
});

describe('latencies', () => {
  it('leave out what was due in the warm-up', () => {
    const latencies = new Latencies();
    latencies.record(5, 10);
    latencies.measureFrom(100);
    latencies.record(99, 200);
    latencies.record(100, 107);
    expect(latencies.count).toBe(1);
    expect(latencies.maxMs).toBeCloseTo(7, 1);
  });

  it('have percentiles in milliseconds, and none without a count', () => {
    const latencies = new Latencies();
    latencies.measureFrom(0);
    expect(latencies.percentileMs(50)).toBeNaN();
    for (let ms = 1; ms <= 100; ms++) latencies.record(0, ms);
    expect(latencies.percentileMs(50)).toBeCloseTo(50, 0);
    expect(latencies.percentileMs(99)).toBeCloseTo(99, 0);
  });
});
