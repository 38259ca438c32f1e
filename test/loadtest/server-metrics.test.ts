import { describe, expect, it } from 'vitest';
import { countLost, reckon, ServerMetrics } from '../../loadtest/lib/server-metrics.js';
import { Metrics } from '../../src/ops/metrics.js';

describe('the metrics page', () => {
  it('is read as the server writes it', async () => {
    const metrics = new Metrics({ version: '1', proto: 'p' });
    try {
      metrics.results.inc({ outcome: 'applied' }, 7);
      metrics.results.inc({ outcome: 'no-record' }, 2);
      metrics.resyncs.inc({ why: 'gap' }, 3);
      const page = new ServerMetrics(await metrics.render());
      expect(page.sum('rankcast_results_total')).toBe(9);
      expect(page.sum('rankcast_results_total', { name: 'outcome', value: 'applied' })).toBe(7);
      expect(page.sum('rankcast_resyncs_total')).toBe(3);
    } finally {
      metrics.close();
    }
  });

  it('sums over labels, finds one among several, and takes what is absent as 0', () => {
    const page = new ServerMetrics('# HELP a b\na{x="1",y="2"} 4\na{x="3"} 1.5e1\nab 100\n');
    expect(page.sum('a')).toBe(19);
    expect(page.sum('a', { name: 'y', value: '2' })).toBe(4);
    expect(page.sum('c')).toBe(0);
  });
});

describe('lost results', () => {
  const page = new ServerMetrics(
    ['applied 3', 'no-record 3', 'skipped 1', 'duplicate 1', 'late 1', 'rejected 1']
      .map((line) => line.split(' '))
      .map(([outcome, count]) => `rankcast_results_total{outcome="${outcome}"} ${count}`)
      .join('\n'),
  );

  it('are none where every acknowledged result was considered and is in Postgres', () => {
    expect(countLost(reckon(page, 10, 0))).toBe(0);
  });

  it('are those that the ranking never considered and those that Postgres does not have', () => {
    expect(countLost(reckon(page, 12, 0))).toBe(2);
    expect(countLost(reckon(page, 10, 3))).toBe(3);
    expect(countLost(reckon(page, 12, 3))).toBe(5);
  });

  it('are not made up for by results that were considered twice', () => {
    expect(countLost(reckon(page, 8, 1))).toBe(1);
  });
});
