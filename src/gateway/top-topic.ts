/**
 * The top window of a list, one for all who watch it: a way from one position to the present is encoded once, and its
 * bytes are handed to every session that stands there; so is the current snapshot.
 */

import { windowCheck } from '../../proto/check.js';
import { FrameType, MAX_SERVER_FRAME_BYTES, type PlacedChange, SubscribeStart } from '../../proto/frames.js';
import type { BoardView } from '../views/board-view.js';
import type { TopRow } from '../views/top-rows.js';
import { assembleDelta, assembleSnapshots, encodeElement } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import type { FlushSchedule, FlushTarget } from './flush-schedule.js';
import type { PlayerRefs } from './player-refs.js';
import type { RefusedError } from './refusal.js';
import { type Difference, difference, newest } from './top-difference.js';
import { type Published, TopHistory } from './top-history.js';

/** What a shared window needs of its list; the hub has it. */
export interface TopHub {
  readonly view: Pick<BoardView, 'isCurrent' | 'seq' | 'total' | 'topRows'>;
  readonly refs: Pick<PlayerRefs, 'ofTop'>;
  readonly wireEpoch: number;
  points(score: number): number;
  /** Nobody watches it now. */
  keepTopTopic(topic: TopTopic): void;
}

export interface TopSubscriber {
  /** The window was published anew. `at`: broker time of the newest result in the step, if any. */
  stepped(at: number | null): void;
  /** There is no way from what was published before to what is now. */
  reset(): void;
  /** There is nothing to show any more. */
  ended(why: RefusedError): void;
}

/**
 * A board that everybody watches may lag where friends may not: while it is hot it is published at a quarter of the pace,
 * and its steps go out with what each session has to say anyway. Half of all frames would be its own otherwise.
 */
const TICKS = 4;

export class TopTopic implements FlushTarget {
  spentUntil = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  readonly ticks = TICKS;
  readonly burst = 1;
  readonly isPatient = false;
  private readonly subscribers = new Set<TopSubscriber>();
  /** What the subscribers in step show, at `seq`. New ones begin there, so that one delta serves all. */
  private published: Published;
  private readonly history = new TopHistory();
  /** From a seq to the present: a delta, or `null` where the snapshot is the better way. Empty again with each step. */
  private readonly ways = new Map<number, Uint8Array | null>();
  private snapshotFrames: readonly Uint8Array[] | null = null;
  private syncFrame: Uint8Array | null = null;

  constructor(
    private readonly hub: TopHub,
    readonly limit: number,
    /** Its number on the wire, the same for all subscribers. */
    readonly topic: number,
    private readonly schedule: FlushSchedule,
  ) {
    this.published = this.current();
  }

  get epoch(): number {
    return this.published.epoch;
  }

  get seq(): number {
    return this.published.seq;
  }

  add(subscriber: TopSubscriber): void {
    // While nobody watches, nothing is published: that has to be made up for, and leaves where they were as a position.
    if (this.subscribers.size === 0) this.publish();
    this.subscribers.add(subscriber);
  }

  remove(subscriber: TopSubscriber): void {
    if (this.subscribers.delete(subscriber) && this.subscribers.size === 0) this.hub.keepTopTopic(this);
  }

  changed(): void {
    if (this.subscribers.size > 0) this.schedule.mark(this);
  }

  /** After an error in `flush`: whoever watches starts again from a snapshot. */
  failed(): void {
    this.reset();
  }

  reset(): void {
    this.history.clear();
    this.show(this.current());
    for (const subscriber of this.subscribers) subscriber.reset();
  }

  ended(why: RefusedError): void {
    for (const subscriber of [...this.subscribers]) subscriber.ended(why);
  }

  /** Publishes the step from what was shown to what stands now. */
  flush(): void {
    // A window that everybody left while its flush was due hears of no reset.
    if (this.subscribers.size > 0) this.publish();
  }

  /** How who shows the window at this position goes on; `null`s: he shows none. */
  startFrom(epoch: number | null, seq: number | null): SubscribeStart {
    if (epoch !== this.epoch || seq === null) return SubscribeStart.snapshot;
    if (seq === this.seq) return SubscribeStart.current;
    return this.wayFrom(seq) === null ? SubscribeStart.snapshot : SubscribeStart.deltas;
  }

  /** What brings who shows the window at `seq` (`null`: he shows none) to the present: nothing, a delta or a snapshot. */
  framesFrom(seq: number | null): readonly Uint8Array[] {
    if (seq === this.seq) return [];
    const delta = seq === null ? null : this.wayFrom(seq);
    return delta === null ? this.snapshot() : [delta];
  }

  /** SYNC for all who show what is published. */
  sync(): Uint8Array {
    const { rows, epoch, seq } = this.published;
    this.syncFrame ??= encodeFrame([
      FrameType.sync,
      this.topic,
      epoch,
      seq,
      windowCheck(rows.map((row) => ({ ref: this.hub.refs.ofTop(row.playerId), score: this.hub.points(row.score) }))),
    ]);
    return this.syncFrame;
  }

  private publish(): void {
    // During a reload there is no step from one history to the other; the reset after it publishes anew.
    if (!this.hub.view.isCurrent) return;
    const before = this.published;
    const current = this.current();
    const step = difference(before.rows, current.rows);
    if (step.removed.length === 0 && step.placed.length === 0 && current.total === before.total) return;
    this.history.push(before, performance.now());
    this.show(current);
    this.ways.set(before.seq, this.way(before, step));
    for (const subscriber of this.subscribers) subscriber.stepped(step.at);
  }

  private show(published: Published): void {
    this.published = published;
    this.ways.clear();
    this.snapshotFrames = null;
    this.syncFrame = null;
  }

  /** One delta over all steps since `seq`, `null` where that position is not known or a snapshot is not larger. */
  private wayFrom(seq: number): Uint8Array | null {
    const known = this.ways.get(seq);
    if (known !== undefined) return known;
    const before = this.history.find(seq, performance.now());
    if (before === undefined) return null;
    const way = this.way(before, difference(before.rows, this.published.rows));
    this.ways.set(seq, way);
    return way;
  }

  private way(from: Published, step: Difference): Uint8Array | null {
    const delta = this.delta(from, step);
    // A delta has no parts.
    if (delta.byteLength > MAX_SERVER_FRAME_BYTES) return null;
    // Where it names few rows there is no need to make the snapshot to see that.
    if (2 * (step.placed.length + step.removed.length) <= this.published.rows.length) return delta;
    return delta.byteLength < sizeOf(this.snapshot()) ? delta : null;
  }

  private delta(from: Published, { removed, placed, at }: Difference): Uint8Array {
    const { seq, total } = this.published;
    return assembleDelta({
      topic: this.topic,
      seq,
      span: seq - from.seq,
      removed: removed.map((row) => this.hub.refs.ofTop(row.playerId)),
      placed: placed.map(({ index, row, isNew }) => encodeElement(this.placedChange(index, row, isNew))),
      first: null,
      total,
      at: at ?? Date.now(),
    });
  }

  /** The window as published, in one or more frames. */
  private snapshot(): readonly Uint8Array[] {
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

function sizeOf(frames: readonly Uint8Array[]): number {
  return frames.reduce((bytes, frame) => bytes + frame.byteLength, 0);
}
