/** A player's neighbours on one list: as many rows above and below him as were asked for, in places. */

import { windowCheck } from '../../proto/check.js';
import { FrameType, MAX_SERVER_FRAME_BYTES, type PlacedChange } from '../../proto/frames.js';
import type { AroundAsk, Entry } from '../domain/change.js';
import type { SortedScores } from '../views/touched-scores.js';
import { assembleDelta, assembleSnapshots, encodeElement } from '../wire/assemble.js';
import { encodeFrame } from '../wire/encode.js';
import type { AroundReader } from './around-rounds.js';
import type { BoardHub } from './board-hub.js';
import { OwnWindow } from './own-window.js';
import { difference } from './top-difference.js';
import type { AroundRequest, WindowRequest } from './window-request.js';
import { type MovingWindowOwner, type TrackedPlayer, WindowPriority } from './windows.js';

/** The same object as long as the row has not changed. */
interface AroundRow {
  readonly playerId: string;
  readonly score: number;
  readonly at: null;
  /** Within this window; never given to another player. */
  readonly ref: number;
}

/** What a client can be brought to. */
interface Shown {
  readonly rows: readonly AroundRow[];
  readonly first: number;
}

/** Nothing of the present history was read yet. */
const NO_SEQ = -1;

const NOTHING: Shown = { rows: [], first: 1 };

/** Over how long windows spread that only moved, all in one turn. Half a second is the promise, and a round takes most of it. */
const FOLLOW_SPREAD_MS = 60;

export class AroundWindow extends OwnWindow implements AroundReader {
  isStale = true;
  readonly ask: AroundAsk;
  private player: TrackedPlayer | undefined;
  private isClosed = false;
  private current: Shown = NOTHING;
  /** What the client was sent, `null` where only a snapshot can follow. */
  private sent: Shown | null = null;
  /** Of what is current: that of the read, or of ranks that moved it since. */
  private currentSeq = NO_SEQ;
  /** As of `currentSeq`; it alone is not worth a frame. */
  private total = 0;
  /** Broker time of a result of the player's own that is not shown yet. */
  private ownAt: number | null = null;
  private sentTotal = 0;
  private lastRef = 0;

  constructor(
    number: number,
    hub: BoardHub,
    owner: MovingWindowOwner,
    private readonly request: AroundRequest & { readonly playerId: string },
  ) {
    super(number, hub, owner);
    const { playerId, above, below } = request;
    this.ask = { playerId, above, below };
  }

  get kind() {
    return 'around' as const;
  }

  get priority(): number {
    return WindowPriority.around;
  }

  isFor(hub: BoardHub, request: WindowRequest): boolean {
    if (this.hub !== hub || request.kind !== this.kind) return false;
    const { above, below, playerId } = this.request;
    return above === request.above && below === request.below && playerId === request.playerId;
  }

  /** Begins to watch and reads its rows; throws StoreUnavailableError. */
  async open(): Promise<void> {
    const { rounds, view } = this.hub;
    this.hub.add(this);
    [this.player] = await view.watch([this.request.playerId], this);
    if (this.isClosed) return this.leave();
    rounds.add(this);
    // A history that was replaced meanwhile is read by the reset that follows.
    const reading = await view.readNeighbours([this.ask]);
    if (reading !== null && !this.isClosed) this.show(reading.rows[0] ?? [], reading.total, reading.seq);
    this.seq = Math.max(0, this.currentSeq);
  }

  playerMoved(_player: TrackedPlayer, at: number | null): void {
    // Moves by others are looked at in each round.
    if (at === null) return;
    this.isStale = true;
    this.ownAt = at;
    this.hub.rounds.readSoon(this);
  }

  takeMoves(): void {}

  override reset(): void {
    this.isStale = true;
    this.currentSeq = NO_SEQ;
    super.reset();
    this.hub.rounds.readSoon(this);
  }

  invalidate(): void {
    this.sent = null;
  }

  isTouched(touched: SortedScores): boolean {
    const { rows, first } = this.current;
    const own = this.player?.rank ?? null;
    // Who has no row gets one by a result of his own.
    if (rows.length === 0) return own !== null;
    const [highest, lowest] = [rows[0]?.score ?? 0, rows.at(-1)?.score ?? 0];
    // Beyond an end of the list there is nobody yet.
    const isAtTail = first + rows.length - 1 >= this.total;
    return touched.hasWithin(
      isAtTail ? Number.NEGATIVE_INFINITY : lowest,
      first === 1 ? Number.POSITIVE_INFINITY : highest,
    );
  }

  show(entries: readonly Entry[], total: number, seq: number): void {
    // Two reads may have overtaken each other.
    if (seq < this.currentSeq) return;
    this.isStale = false;
    // Who left and came back while nothing could be sent is still there for the client, under his ref.
    const rowsKnown = [...(this.sent?.rows ?? []), ...this.current.rows];
    const known = new Map(rowsKnown.map((row) => [row.playerId, row]));
    const rows = entries.map(({ playerId, score }) => {
      const row = known.get(playerId);
      return row?.score === score ? row : { playerId, score, at: null, ref: row?.ref ?? this.nextRef() };
    });
    this.become({ rows, first: entries[0]?.rank ?? 1 }, total, seq, 0);
  }

  follow(): void {
    const { rows } = this.current;
    const { view } = this.hub;
    const index = rows.findIndex(({ playerId }) => playerId === this.request.playerId);
    const rank = this.player?.rank ?? null;
    // What was read ahead of the fold is not led back by it.
    if (index < 0 || rank === null || view.seq < this.currentSeq) return;
    this.become({ rows, first: rank - index }, view.total, view.seq, FOLLOW_SPREAD_MS);
  }

  private become(next: Shown, total: number, seq: number, spreadMs: number): void {
    const { rows, first } = this.current;
    this.currentSeq = seq;
    this.total = total;
    const isSame = first === next.first && rows.length === next.rows.length;
    if (this.sent !== null && isSame && rows.every((row, index) => row === next.rows[index])) return;
    this.current = next;
    this.owner.pending(this, this.ownAt, spreadMs);
    this.ownAt = null;
  }

  collect(frames: Uint8Array[]): void {
    // Rows of the history before are not shown under the epoch of this one.
    if (this.isClosed || !this.hub.view.isCurrent || this.currentSeq === NO_SEQ) return;
    this.collectBoard(frames);
    this.collectRows(frames);
    if (!this.wantsSync) return;
    this.wantsSync = false;
    const check = windowCheck(this.current.rows.map(({ ref, score }) => ({ ref, score: this.hub.points(score) })));
    frames.push(encodeFrame([FrameType.sync, this.topic, this.epoch, this.seq, check]));
  }

  private collectRows(frames: Uint8Array[]): void {
    const { sent, current } = this;
    if (sent === current) return;
    const delta = sent === null ? null : this.delta(sent);
    if (delta === null || delta.byteLength > MAX_SERVER_FRAME_BYTES) frames.push(...this.snapshot());
    else frames.push(delta);
    this.sent = current;
    this.sentTotal = this.total;
    this.seq = this.currentSeq;
  }

  private delta(sent: Shown): Uint8Array {
    const { rows, first } = this.current;
    const step = difference(sent.rows, rows);
    return assembleDelta({
      topic: this.topic,
      seq: this.currentSeq,
      span: this.currentSeq - this.seq,
      removed: step.removed.map((row) => (row as AroundRow).ref),
      placed: step.placed.map(({ index, row, isNew }) => encodeElement(this.change(index, row as AroundRow, isNew))),
      first: first === sent.first ? null : first,
      total: this.total === this.sentTotal ? null : this.total,
      at: this.player?.at ?? Date.now(),
    });
  }

  private change(index: number, { ref, score, playerId }: AroundRow, isNew: boolean): PlacedChange {
    const points = this.hub.points(score);
    return isNew ? [index, ref, points, null, playerId, null] : [index, ref, points];
  }

  private snapshot(): readonly Uint8Array[] {
    const { rows, first } = this.current;
    return assembleSnapshots({
      topic: this.topic,
      epoch: this.hub.wireEpoch,
      seq: this.currentSeq,
      first,
      total: this.total,
      entries: rows.map(({ ref, score, playerId }) =>
        encodeElement([ref, this.hub.points(score), null, playerId, null]),
      ),
      at: this.player?.at ?? Date.now(),
    });
  }

  private nextRef(): number {
    this.lastRef += 1;
    return this.lastRef;
  }

  private leave(): void {
    if (this.player !== undefined) this.hub.view.unwatch([this.player], this);
  }

  close(): void {
    this.isClosed = true;
    this.hub.remove(this);
    this.hub.rounds.remove(this);
    this.leave();
  }
}
