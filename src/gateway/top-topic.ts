/**
 * The top window of a list, one for all who watch it: each step is encoded once and its bytes are handed to every
 * session that is in step; a session that is not gets the current snapshot, which is encoded once as well.
 */

import { MAX_SERVER_FRAME_BYTES, type PlacedChange } from '../../proto/frames.js';
import type { BoardView } from '../views/board-view.js';
import type { TopRow } from '../views/top-rows.js';
import { assembleDelta, assembleSnapshots, encodeElement } from '../wire/assemble.js';
import type { FlushSchedule, FlushTarget } from './flush-schedule.js';
import type { PlayerRefs } from './player-refs.js';

/** What a shared window needs of its list; the hub has it. */
export interface TopHub {
  readonly view: Pick<BoardView, 'isCurrent' | 'seq' | 'total' | 'topRows'>;
  readonly refs: Pick<PlayerRefs, 'ofTop'>;
  readonly wireEpoch: number;
  points(score: number): number;
  dropTopTopic(topic: TopTopic): void;
}

export interface TopSubscriber {
  /** The next step, continuing the one before. `at`: broker time of the newest result in it, if any. */
  step(delta: Uint8Array, at: number | null): void;
  reset(): void;
}

/** A window as it stood at one position. */
interface Published {
  readonly rows: readonly TopRow[];
  /** As clients see it. */
  readonly epoch: number;
  readonly seq: number;
  readonly total: number;
}

/**
 * A board that everybody watches may lag where friends may not: while it is hot it is published at a quarter of the pace,
 * and its steps go out with what each session has to say anyway. Half of all frames would be its own otherwise.
 */
const TICKS = 4;

export class TopTopic implements FlushTarget {
  lastFlushAt = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  readonly ticks = TICKS;
  private readonly subscribers = new Set<TopSubscriber>();
  /** What the subscribers in step show, at `seq`. New ones begin there, so that one delta serves all. */
  private published: Published;
  private snapshotFrames: readonly Uint8Array[] | null = null;

  constructor(
    private readonly hub: TopHub,
    readonly limit: number,
    /** Its number on the wire, the same for all subscribers. */
    readonly topic: number,
    private readonly schedule: FlushSchedule,
  ) {
    this.published = this.current();
  }

  get seq(): number {
    return this.published.seq;
  }

  add(subscriber: TopSubscriber): void {
    this.subscribers.add(subscriber);
  }

  remove(subscriber: TopSubscriber): void {
    this.subscribers.delete(subscriber);
    if (this.subscribers.size === 0) this.hub.dropTopTopic(this);
  }

  changed(): void {
    this.schedule.mark(this);
  }

  /** After an error in `flush`: whoever watches starts again from a snapshot. */
  failed(): void {
    this.reset();
  }

  reset(): void {
    this.published = this.current();
    this.snapshotFrames = null;
    for (const subscriber of this.subscribers) subscriber.reset();
  }

  /** Publishes the step from what was shown to what stands now. */
  flush(): void {
    // During a reload there is no step from one history to the other; the reset after it publishes anew. A window that
    // everybody left while its flush was due hears of no reset.
    if (!this.hub.view.isCurrent || this.subscribers.size === 0) return;
    const current = this.current();
    const { removed, placed, at } = difference(this.published.rows, current.rows);
    if (removed.length === 0 && placed.length === 0 && current.total === this.published.total) return;
    const delta = assembleDelta({
      topic: this.topic,
      seq: current.seq,
      span: current.seq - this.published.seq,
      removed: removed.map((row) => this.hub.refs.ofTop(row.playerId)),
      placed: placed.map(({ index, row, isNew }) => encodeElement(this.placedChange(index, row, isNew))),
      first: null,
      total: current.total,
      at: at ?? Date.now(),
    });
    this.published = current;
    this.snapshotFrames = null;
    // A delta has no parts: a long window that moved much is sent whole.
    const fits = delta.byteLength <= MAX_SERVER_FRAME_BYTES;
    for (const subscriber of this.subscribers) {
      if (fits) subscriber.step(delta, at);
      else subscriber.reset();
    }
  }

  /** The window as published, in one or more frames. */
  snapshot(): readonly Uint8Array[] {
    const { rows, epoch, seq, total } = this.published;
    this.snapshotFrames ??= assembleSnapshots({
      topic: this.topic,
      epoch,
      seq,
      first: 1,
      total,
      entries: rows.map((row) => encodeElement([...this.placedHead(row), null, row.playerId, null])),
      at: newest(rows) ?? Date.now(),
    });
    return this.snapshotFrames;
  }

  private current(): Published {
    const { view, wireEpoch } = this.hub;
    return { rows: view.topRows(this.limit), epoch: wireEpoch, seq: view.seq, total: view.total };
  }

  private placedHead(row: TopRow): [ref: number, score: number] {
    return [this.hub.refs.ofTop(row.playerId), this.hub.points(row.score)];
  }

  private placedChange(index: number, row: TopRow, isNew: boolean): PlacedChange {
    const head = this.placedHead(row);
    return isNew ? [index, ...head, null, row.playerId, null] : [index, ...head];
  }
}

interface PlacedRow {
  readonly index: number;
  readonly row: TopRow;
  readonly isNew: boolean;
}

/**
 * What must be taken out and put in to come from one window to the other. Rows are values: one that is the same object
 * has not changed its key, so the untouched ones keep their order among themselves and need not be named.
 */
function difference(
  before: readonly TopRow[],
  after: readonly TopRow[],
): { removed: TopRow[]; placed: PlacedRow[]; at: number | null } {
  const old = new Map(before.map((row) => [row.playerId, row]));
  const placed: PlacedRow[] = [];
  after.forEach((row, index) => {
    const known = old.get(row.playerId);
    if (known !== row) placed.push({ index, row, isNew: known === undefined });
    old.delete(row.playerId);
  });
  return { removed: [...old.values()], placed, at: newest(placed.map(({ row }) => row)) };
}

function newest(rows: readonly TopRow[]): number | null {
  const times = rows.flatMap((row) => row.at ?? []);
  return times.length === 0 ? null : Math.max(...times);
}
