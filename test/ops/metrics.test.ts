import { afterEach, expect, it } from 'vitest';
import { Metrics } from '../../src/ops/metrics.js';

const open: Metrics[] = [];

function make(): Metrics {
  const metrics = new Metrics({ version: '1.0.0', commit: 'abc', proto: 'rankcast.v1.msgpack' });
  open.push(metrics);
  return metrics;
}

afterEach(() => {
  for (const metrics of open.splice(0)) metrics.close();
});

it('has every name, each with its type', async () => {
  const text = await make().render();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(names.sort()).toEqual([
    'rankcast_blocked_sessions gauge',
    'rankcast_build_info gauge',
    'rankcast_checkpoint_age_seconds gauge',
    'rankcast_conflations_total counter',
    'rankcast_connections gauge',
    'rankcast_disconnects_total counter',
    'rankcast_dlq_total counter',
    'rankcast_drift_rows_total counter',
    'rankcast_event_loop_delay_seconds gauge',
    'rankcast_frames_received_total counter',
    'rankcast_handshakes_refused_total counter',
    'rankcast_ingest_lag_records gauge',
    'rankcast_log_lost_records_total counter',
    'rankcast_messages_sent_total counter',
    'rankcast_outbox_bytes gauge',
    'rankcast_redis_seconds histogram',
    'rankcast_result_to_push_seconds histogram',
    'rankcast_results_total counter',
    'rankcast_resyncs_total counter',
    'rankcast_sent_bytes_total counter',
    'rankcast_topics gauge',
    'rankcast_truth_results_total counter',
    'rankcast_view_reloads_total counter',
    'rankcast_wrong_ranks_total counter',
  ]);
});

it('samples blocked sessions and what waits for them at each scrape', async () => {
  const metrics = make();
  const slow = { waitingBytes: () => 700 };
  metrics.blockedOutboxes.add(slow).add({ waitingBytes: () => 30 });
  expect(await metrics.render()).toMatch(/rankcast_blocked_sessions 2\n[\s\S]*rankcast_outbox_bytes 730\n/);
  metrics.blockedOutboxes.delete(slow);
  expect(await metrics.render()).toMatch(/rankcast_blocked_sessions 1\n[\s\S]*rankcast_outbox_bytes 30\n/);
});

it('tells what was sent as it stands at each scrape', async () => {
  const metrics = make();
  metrics.sent.messages += 2;
  metrics.sent.bytes += 90;
  expect(await metrics.render()).toMatch(/rankcast_messages_sent_total 2\n[\s\S]*rankcast_sent_bytes_total 90\n/);
  metrics.sent.messages += 1;
  metrics.sent.bytes += 10;
  expect(await metrics.render()).toMatch(/rankcast_messages_sent_total 3\n[\s\S]*rankcast_sent_bytes_total 100\n/);
});

it('counts with labels, apart for each server', async () => {
  const one = make();
  const other = make();
  one.results.inc({ outcome: 'applied' }, 3);
  one.ingestLag.set({ group: 'rankcast-truth', partition: '0' }, 7);
  one.resultToPush.observe(0.012);
  one.redisSeconds.observe({ script: 'submit-results' }, 0.002);
  one.connections.inc();
  const text = await one.render();
  expect(text).toContain('rankcast_results_total{outcome="applied"} 3');
  expect(text).toContain('rankcast_ingest_lag_records{group="rankcast-truth",partition="0"} 7');
  expect(text).toContain('rankcast_result_to_push_seconds_bucket{le="0.025"} 1');
  expect(text).toContain('rankcast_redis_seconds_count{script="submit-results"} 1');
  expect(text).toContain('rankcast_connections 1');
  expect(text).toMatch(/rankcast_event_loop_delay_seconds\{quantile="0.99"\} [\d.e-]+/);
  expect(await other.render()).not.toContain('outcome="applied"');
});
