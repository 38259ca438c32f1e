/** A view as users hold it: the picture, built when it is read, the listeners and the holds. */

import type { BoardDescription } from '../../proto/frames.js';
import type { BoardSummary, View, ViewEvents } from './api.js';
import { LeaderboardError, LOCAL_ERROR } from './errors.js';
import { Listeners } from './listeners.js';
import { Subscription, type SubscriptionLink, type SubscriptionListener, type WindowRequest } from './subscription.js';
import { type ShownRow, stampOf, type WindowFold, type WindowFrame } from './window.js';

export interface ViewLink extends SubscriptionLink {
  /** What a listener threw, and each failure of a subscription. */
  reportError(error: LeaderboardError): void;
  /** The last hold was given back. */
  released(): void;
}

export class LiveView<State> implements View<State>, SubscriptionListener {
  board: BoardSummary | null = null;
  readonly subscription: Subscription;
  private holds = 0;
  private picture: State | null = null;
  private isDirty = false;
  private failure: LeaderboardError | null = null;
  private waiting: { readonly resolve: () => void; readonly reject: (error: LeaderboardError) => void }[] = [];
  private readonly fold: WindowFold<State>;
  private readonly link: ViewLink;
  private readonly changed: Listeners<[]>;
  private readonly frames: Listeners<Parameters<ViewEvents['frame']>>;
  private readonly errors: Listeners<[LeaderboardError]>;

  constructor(request: WindowRequest, fold: WindowFold<State>, link: ViewLink) {
    this.fold = fold;
    this.link = link;
    const report = (cause: unknown) => link.reportError(listenerThrew(cause));
    this.changed = new Listeners(report);
    this.frames = new Listeners(report);
    this.errors = new Listeners(report);
    this.subscription = new Subscription(request, fold, link, this);
  }

  get current(): State | null {
    if (this.isDirty) {
      this.isDirty = false;
      this.picture = this.fold.read(this.subscription.status !== 'live');
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
    if (this.subscription.status === 'ended') return;
    this.holds -= 1;
    if (this.holds > 0) return;
    this.link.released();
    this.subscription.end();
    this.stop(new LeaderboardError(LOCAL_ERROR, 'the view is closed', { retryable: false }));
    for (const listeners of [this.changed, this.frames, this.errors]) listeners.clear();
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

  applied(frame: WindowFrame, shown: readonly ShownRow[] | null): void {
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

  staleChanged(): void {
    if (!this.fold.hasState) return;
    this.isDirty = true;
    this.changed.call();
  }

  described(board: BoardDescription): void {
    const [boardId, title, seasonId, , , , , startsAt, endsAt] = board;
    this.board = Object.freeze({ boardId, title, seasonId, startsAt: startsAt ?? null, endsAt: endsAt ?? null });
  }

  failed(error: LeaderboardError): void {
    if (!error.retryable) this.stop(error);
    this.errors.call(error);
    this.link.reportError(error);
  }
}

export function listenerThrew(cause: unknown): LeaderboardError {
  return new LeaderboardError(LOCAL_ERROR, `a listener threw: ${String(cause)}`, { retryable: false, cause });
}
