/** A view as users hold it: the picture, built when it is read, the listeners, the holds, and which connection is shown. */

import type { BoardDescription, TierDescription } from '../../proto/frames.js';
import type { BoardSummary, BoardTiers, View, ViewEvents } from './api.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Listeners } from './listeners.js';
import type { Session } from './session.js';
import type { Subscription, SubscriptionListener, WindowRequest } from './subscription.js';
import { type ShownRow, stampOf, type WindowFold, type WindowFrame, type WindowPosition } from './window.js';

export interface ViewLink {
  /** What a listener threw, and each failure of a subscription. */
  reportError(error: LeaderboardError): void;
  /** The last hold was given back. */
  released(): void;
  /** The window is shown from another connection than before. */
  moved(): void;
}

/** A window as one connection has it. */
interface Side<State> {
  readonly session: Session;
  readonly subscription: Subscription<State>;
}

export class LiveView<State> implements View<State>, SubscriptionListener<State> {
  board: BoardSummary | null = null;
  /** What is shown comes from here; `null` while there is no connection for it. */
  private shown: Side<State> | null = null;
  /** The same window on another connection, beside the one that is shown until it is as good. */
  private next: Side<State> | null = null;
  private isClosed = false;
  private holds = 0;
  private picture: State | null = null;
  private isDirty = false;
  private failure: LeaderboardError | null = null;
  private waiting: { readonly resolve: () => void; readonly reject: (error: LeaderboardError) => void }[] = [];
  /** What is shown, also while nothing comes. */
  private fold: WindowFold<State>;
  private readonly request: WindowRequest;
  private readonly link: ViewLink;
  private readonly changed: Listeners<[]>;
  private readonly frames: Listeners<Parameters<ViewEvents['frame']>>;
  private readonly errors: Listeners<[LeaderboardError]>;

  constructor(request: WindowRequest, fold: WindowFold<State>, link: ViewLink) {
    this.request = request;
    this.fold = fold;
    this.link = link;
    const report = (cause: unknown) => link.reportError(listenerThrew(cause));
    this.changed = new Listeners(report);
    this.frames = new Listeners(report);
    this.errors = new Listeners(report);
  }

  get current(): State | null {
    if (this.isDirty) {
      this.isDirty = false;
      this.picture = this.fold.read(this.shown?.subscription.isStale ?? true);
    }
    return this.picture;
  }

  subscribe(listener: () => void): () => void {
    return this.changed.add(listener);
  }

  on<Name extends keyof ViewEvents>(event: Name, listener: ViewEvents[Name]): () => void {
    if (event === 'frame') return this.frames.add(listener as ViewEvents['frame']);
    return this.errors.add(listener as ViewEvents['error']);
  }

  ready(): Promise<void> {
    if (this.failure !== null) return Promise.reject(this.failure);
    if (this.fold.hasState) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  hold(): this {
    this.holds += 1;
    return this;
  }

  close(): void {
    if (this.isClosed) return;
    this.holds -= 1;
    if (this.holds > 0) return;
    this.isClosed = true;
    this.link.released();
    const sides = [this.shown, this.next];
    this.shown = null;
    this.next = null;
    for (const side of sides) side?.subscription.leave();
    if (sides[0] !== null) this.showStale();
    this.stop(new LeaderboardError(LOCAL_ERROR, 'the view is closed', { retryable: false }));
    for (const listeners of [this.changed, this.frames, this.errors]) listeners.clear();
  }

  /** A session began: the window is watched there. Where it is shown from another one, that goes on until it is as good. */
  attach(session: Session): void {
    if (this.isClosed) return;
    const fold = this.shown === null ? this.fold : this.fold.copy();
    const side = { session, subscription: session.subscribe(this.request, fold, this) };
    if (this.shown === null) this.shown = side;
    else this.next = side;
  }

  /** A session ended. What is shown stays; its position is what the next SUBSCRIBE names. */
  detach(session: Session): void {
    if (this.next?.session === session) this.next = null;
    if (this.shown?.session !== session) return;
    // What it has not whole yet is waited for there alone; what was shown stays on show until then.
    this.shown = this.next;
    this.next = null;
    if (this.shown?.subscription.status === 'live') this.fold = this.shown.subscription.fold;
    this.showStale();
  }

  /** Shown from this session, or waiting for it alone. */
  isOn(session: Session): boolean {
    return this.next === null && this.shown?.session === session;
  }

  get isAttached(): boolean {
    return this.shown !== null || this.next !== null;
  }

  /** No more tries are under way: who waits for the first picture waits in vain. */
  stop(error: LeaderboardError): void {
    this.failure = error;
    const waiting = this.waiting;
    this.waiting = [];
    for (const { reject } of waiting) reject(error);
  }

  /** Tries are under way again. */
  resume(): void {
    this.failure = null;
  }

  get wantsRows(): boolean {
    return !this.frames.isEmpty;
  }

  applied(source: Subscription<State>, frame: WindowFrame, shown: readonly ShownRow[] | null): void {
    if (!this.follows(source)) return;
    this.isDirty = true;
    this.failure = null;
    const waiting = this.waiting;
    this.waiting = [];
    for (const { resolve } of waiting) resolve();
    const position = this.fold.position;
    if (shown !== null && position !== null) {
      this.frames.call({ seq: position.seq, epoch: position.epoch, at: stampOf(frame), rows: shown });
    }
    this.changed.call();
  }

  staleChanged(source: Subscription<State>): void {
    if (this.follows(source)) this.showStale();
  }

  described(board: BoardDescription): void {
    const [boardId, title, seasonId, , , , , startsAt, endsAt, , tiers, period, scope] = board;
    this.board = Object.freeze({
      ...{ boardId, title, seasonId, period: period ?? null, scope: scope ?? null },
      ...{ startsAt: startsAt ?? null, endsAt: endsAt ?? null },
      tiers: summarizeTiers(tiers ?? null),
    });
  }

  failed(source: Subscription<State>, error: LeaderboardError): void {
    // Refused for good on the newer connection: the older one will not last.
    if (source === this.next?.subscription && !error.retryable) {
      this.takeOver(this.next);
      this.showStale();
    }
    if (!error.retryable) this.stop(error);
    this.errors.call(error);
    this.link.reportError(error);
  }

  /** Whether what `source` has is what is shown: it is, or it has become as good as what was. */
  private follows(source: Subscription<State>): boolean {
    if (source === this.shown?.subscription) {
      if (source.status === 'live') this.fold = source.fold;
      return true;
    }
    if (this.next === null || source !== this.next.subscription || source.status !== 'live') return false;
    // The older connection may have shown more of the same history: nobody is to see a step back.
    if (this.shown !== null && isBehind(source.fold.position, this.fold.position)) return false;
    this.takeOver(this.next);
    return true;
  }

  private takeOver(side: Side<State>): void {
    this.shown?.subscription.drop();
    this.shown = side;
    this.next = null;
    this.fold = side.subscription.fold;
    this.isDirty = this.fold.hasState;
    this.link.moved();
  }

  private showStale(): void {
    if (!this.fold.hasState) return;
    this.isDirty = true;
    this.changed.call();
  }
}

function summarizeTiers(tiers: TierDescription | null): BoardTiers | null {
  if (tiers === null) return null;
  const [measure, steps] = tiers;
  return { measure: measure === 0 ? 'points' : 'top-percent', steps: steps.map(([name, limit]) => ({ name, limit })) };
}

function isBehind(one: WindowPosition | null, other: WindowPosition | null): boolean {
  return one !== null && other !== null && one.epoch === other.epoch && one.seq < other.seq;
}

export function listenerThrew(cause: unknown): LeaderboardError {
  return new LeaderboardError(LOCAL_ERROR, `a listener threw: ${String(cause)}`, { retryable: false, cause });
}
