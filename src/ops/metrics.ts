/** The metrics of one server, by name; each server has its own registry. Labels are bounded: never a player, session or address. */

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EventLoopDelay } from './event-loop-delay.js';

/** The number on the front page: 5 ms to 2.5 s. */
const PUSH_BUCKETS_SEC = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const STORE_BUCKETS_SEC = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** What waits for one reader who does not read. */
export interface BlockedOutbox {
  waitingBytes(): number;
}

export interface BuildLabels {
  readonly version: string;
  /** Default `unknown`. */
  readonly commit?: string;
  /** The socket subprotocol. */
  readonly proto: string;
}

export class Metrics {
  private readonly registry = new Registry();
  private readonly eventLoopDelay = new EventLoopDelay(this.registry);

  readonly connections = this.gauge('rankcast_connections', 'Open sockets.');
  readonly disconnects = this.counter('rankcast_disconnects_total', 'Closed sockets by close code.', ['code']);
  readonly handshakesRefused = this.counter(
    'rankcast_handshakes_refused_total',
    'Handshakes of sockets that were refused, by reason.',
    ['reason'],
  );
  readonly topics = this.gauge('rankcast_topics', 'Subscribed windows by kind (top, me, friends).', ['kind']);
  /** Counted for every message of every socket, so in plain numbers that a scrape looks at. */
  readonly sent = { messages: 0, bytes: 0 };
  readonly framesReceived = this.counter('rankcast_frames_received_total', 'Frames of clients by type.', ['type']);
  readonly conflations = this.counter('rankcast_conflations_total', 'Pending states replaced by newer ones unsent.');
  /** Those of full sockets, kept by whoever sends; looked at once a scrape. */
  readonly blockedOutboxes = new Set<BlockedOutbox>();
  readonly resyncs = this.counter('rankcast_resyncs_total', 'Snapshots clients asked for by why (gap, checksum).', [
    'why',
  ]);
  readonly wrongRanks = this.counter(
    'rankcast_wrong_ranks_total',
    'Ranks kept for sessions that differed from the ranking, of a few looked at every ten seconds; must stay 0.',
  );
  readonly reloads = this.counter('rankcast_view_reloads_total', 'Snapshots that views took of the ranking by cause.', [
    'why',
  ]);
  readonly resultToPush = new Histogram({
    name: 'rankcast_result_to_push_seconds',
    help: "From the log's stamp of a result to the frame handed to a socket.",
    buckets: PUSH_BUCKETS_SEC,
    registers: [this.registry],
  });
  readonly results = this.counter(
    'rankcast_results_total',
    'Results the ranking considered by outcome (applied, no-record, duplicate, late, marked, hidden, voided, skipped, rejected), and those rejected by reason.',
    ['outcome', 'reason'],
  );
  readonly truthResults = this.counter(
    'rankcast_truth_results_total',
    'Results truth considered by outcome (inserted, duplicate, conflict, rejected).',
    ['outcome'],
  );
  readonly deadLetters = this.counter('rankcast_dlq_total', 'Dead letters by reason.', ['reason']);
  readonly ingestLag = this.gauge('rankcast_ingest_lag_records', 'Records of the log not yet considered.', [
    'group',
    'partition',
  ]);
  readonly redisSeconds = this.storeSeconds('rankcast_redis_seconds', 'Time of Redis script calls.', 'script');
  readonly driftRows = this.counter(
    'rankcast_drift_rows_total',
    'Rows of boards that were found other than the database has them, and marked to be repaired.',
    ['board'],
  );
  readonly lostRecords = this.counter(
    'rankcast_log_lost_records_total',
    'Records the log dropped before a group came for them.',
    ['group'],
  );

  readonly checkpointAge = this.gauge(
    'rankcast_checkpoint_age_seconds',
    "Since truth's checkpoint of the board was last brought up to date; of several open seasons the oldest.",
    ['board'],
  );

  constructor(build: BuildLabels) {
    const { version, commit = 'unknown', proto } = build;
    this.sampled(
      'rankcast_blocked_sessions',
      'Sessions whose sockets take nothing now.',
      () => this.blockedOutboxes.size,
    );
    this.sampled('rankcast_outbox_bytes', 'Bytes that wait for the readers of blocked sessions.', () => {
      let bytes = 0;
      for (const outbox of this.blockedOutboxes) bytes += outbox.waitingBytes();
      return bytes;
    });
    this.tallied('rankcast_messages_sent_total', 'Socket messages sent; a BATCH is one.', () => this.sent.messages);
    this.tallied('rankcast_sent_bytes_total', 'Bytes of frames handed to sockets.', () => this.sent.bytes);
    this.gauge('rankcast_build_info', 'Always 1; what runs is in the labels.', ['version', 'commit', 'proto']).set(
      { version, commit, proto },
      1,
    );
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The Prometheus text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  /** Ends the measuring of the event loop. */
  close(): void {
    this.eventLoopDelay.close();
  }

  private counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter<Label>({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  private gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Gauge<Label>({ name, help, labelNames: [...labelNames], registers: [this.registry] });
  }

  /** A gauge that is measured at each scrape. */
  private sampled(name: string, help: string, sample: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(sample());
      },
    });
  }

  /** A counter that is kept elsewhere. */
  private tallied(name: string, help: string, total: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(total());
      },
    });
  }

  private storeSeconds<Label extends string>(name: string, help: string, label: Label) {
    return new Histogram<Label>({
      name,
      help,
      labelNames: [label],
      buckets: STORE_BUCKETS_SEC,
      registers: [this.registry],
    });
  }
}
