/** A client on the windows of a session, without the session: its socket, outbox and subscriptions over a hand-flushed hub. */

import { windowCheck } from '../../../proto/check.js';
import {
  type BatchFrame,
  ErrorCode,
  FrameType,
  type ServerFrame,
  type SubscribedFrame,
  SubscribeStart,
  type SyncFrame,
  type WindowKind,
} from '../../../proto/frames.js';
import type { FlushTarget } from '../../../src/gateway/flush-schedule.js';
import { Outbox } from '../../../src/gateway/outbox.js';
import { Subscriptions } from '../../../src/gateway/subscriptions.js';
import { decodeFrame } from '../../../src/wire/decode.js';
import { ReferenceFold } from '../../proto/reference-fold.js';
import type { FakeFriends } from './fake-friends.js';
import type { HandBoard } from './hand-board.js';
import { MemorySocket } from './memory-socket.js';

/** What a client holds of a window; it survives the socket. */
export class HeldWindow {
  readonly fold: ReferenceFold;
  epoch: number | null = null;
  seq: number | null = null;
  /** Of a window of the own rank: its last RANK. */
  rank: { readonly rank: number | null; readonly score: number | null } | null = null;
  /** SYNCs that the client took notice of. */
  syncs = 0;
  constructor(readonly kind: WindowKind) {
    this.fold = new ReferenceFold(kind === 4 ? 'unplaced' : 'placed');
  }

  /** As PROTOCOL.md 7.7 has it. */
  check(): number {
    if (this.kind === 3)
      return windowCheck([{ ref: 0, score: this.rank?.score ?? null, rank: this.rank?.rank ?? null }]);
    const withRank = this.kind === 4;
    return windowCheck(
      this.fold.rows.map(({ ref, score, rank }) => (withRank ? { ref, score, rank } : { ref, score })),
    );
  }
}

export class DirectClient implements FlushTarget {
  spentUntil = 0;
  scheduledFor = Number.POSITIVE_INFINITY;
  readonly ticks = 1;
  readonly burst = 1;
  readonly isPatient = false;
  readonly socket = new MemorySocket();
  readonly frames: ServerFrame[] = [];
  readonly windows = new Map<number, HeldWindow>();
  /** Seq steps that do not fit and SYNCs that differ: what a right server never causes. */
  readonly troubles: string[] = [];
  readonly outbox: Outbox;
  readonly subscriptions: Subscriptions;
  /** Whether it repairs what a SYNC tells of. */
  repairs = false;
  private readonly asked = new Map<number, HeldWindow>();
  private lastReqId = 0;
  private tickAt = 0;

  constructor(board: HandBoard, friends: FakeFriends, playerId: string | null = 'a') {
    const counters = { sent: () => {}, conflated: () => {}, blocked: () => {}, unblocked: () => {} };
    this.outbox = new Outbox(this.socket, counters, () => this.troubles.push('too slow'));
    this.outbox.canBatch = true;
    this.subscriptions = new Subscriptions({
      directory: { find: () => board.hub },
      friends,
      outbox: this.outbox,
      principal: { kind: 'player', playerId, keyId: null, expiresAt: null, mayWatch: () => true },
      maxTopics: 32,
      pending: (window) => {
        this.outbox.markDirty(window);
        board.schedule.mark(this);
      },
      moved: (window) => {
        window.takeMoves();
        this.outbox.markDirty(window);
        board.schedule.mark(this);
      },
      say: (frame) => this.outbox.push(frame),
      forget: (window) => this.outbox.forget(window),
      countTopic: () => {},
      logDefect: (error) => this.troubles.push(String(error)),
    });
    this.subscriptions.canSync = true;
    this.socket.onSent = (bytes) => {
      const frame = decodeFrame(bytes) as ServerFrame | BatchFrame;
      for (const one of frame[0] === FrameType.batch ? frame[1] : [frame]) this.take(one);
    };
  }

  flush(): void {
    this.outbox.flush();
  }

  failed(): void {
    this.troubles.push('a flush threw');
  }

  /** Answers SUBSCRIBED; `held` is brought along with its position. */
  async subscribe(held: HeldWindow, args: readonly unknown[] = []): Promise<SubscribedFrame> {
    this.lastReqId += 1;
    const reqId = this.lastReqId;
    this.asked.set(reqId, held);
    await this.subscriptions.subscribe([FrameType.subscribe, reqId, held.kind, 'arena', args, held.epoch, held.seq]);
    this.flush();
    const answer = this.frames.find((frame) => frame[0] === FrameType.subscribed && frame[1] === reqId);
    if (answer?.[0] !== FrameType.subscribed) throw new Error('not subscribed');
    return answer;
  }

  /** The time of SYNC has come for every window; it leaves with the next flush that may send it. */
  sync(): void {
    this.tickAt = Math.max(this.tickAt, performance.now()) + 20_000;
    this.subscriptions.tick(this.tickAt);
  }

  drain(): void {
    this.socket.answer = 'sent';
    this.outbox.drained();
  }

  leave(): void {
    this.subscriptions.closeAll();
  }

  types(): number[] {
    return this.frames.map((frame) => frame[0]);
  }

  private take(frame: ServerFrame): void {
    this.frames.push(frame);
    switch (frame[0]) {
      case FrameType.subscribed: {
        const held = this.asked.get(frame[1]);
        if (held === undefined) this.troubles.push('SUBSCRIBED that nobody asked for');
        else this.begin(held, frame);
        return;
      }
      case FrameType.error:
        if (frame[2] >= ErrorCode.internal) this.troubles.push(frame[3]);
        return;
      case FrameType.snapshot:
      case FrameType.delta:
        return this.fold(frame[1], frame);
      case FrameType.rank: {
        const held = this.windows.get(frame[1]);
        if (held === undefined || (frame[10] === held.epoch && frame[2] < (held.seq ?? 0))) return;
        [held.epoch, held.seq] = [frame[10], frame[2]];
        held.rank = { rank: frame[3], score: frame[5] };
        return;
      }
      case FrameType.sync:
        return this.compare(frame);
    }
  }

  private begin(held: HeldWindow, frame: SubscribedFrame): void {
    const [, , topic, start, epoch, seq] = frame;
    this.windows.set(topic, held);
    if (start === SubscribeStart.snapshot) return;
    if (epoch !== held.epoch) this.troubles.push(`start ${start} with another epoch`);
    if (start === SubscribeStart.current && seq !== held.seq) this.troubles.push('start 1 at another seq');
  }

  private fold(topic: number, frame: ServerFrame): void {
    const held = this.windows.get(topic);
    if (held === undefined) return;
    held.fold.apply(frame);
    if (held.fold.resyncs > 0) this.troubles.push(`a gap at ${JSON.stringify(frame)}`);
    if (frame[0] === FrameType.snapshot && frame[8] !== true) [held.epoch, held.seq] = [frame[2], frame[3]];
    if (frame[0] === FrameType.delta) held.seq = Math.max(held.seq ?? 0, frame[2]);
  }

  private compare([, topic, epoch, seq, check]: SyncFrame): void {
    const held = this.windows.get(topic);
    if (held === undefined) return;
    held.syncs += 1;
    const isRight = epoch === held.epoch && seq === held.seq && (check === null || check === held.check());
    if (isRight) return;
    if (this.repairs) {
      // Who waits for an answer has no position: whatever comes is applied.
      held.seq = null;
      this.subscriptions.resync(topic);
    } else
      this.troubles.push(
        `SYNC of topic ${topic} says (${epoch}, ${seq}, ${check}), not (${held.epoch}, ${held.seq}, ${held.check()})`,
      );
  }
}
