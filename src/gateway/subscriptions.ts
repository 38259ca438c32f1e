/** The windows of one session: which it may open, opening, resyncing and closing them. */

import { ErrorCode, FrameType, type SubscribeFrame, SubscribeStart } from '../../proto/frames.js';
import { decodeFrame } from '../wire/decode.js';
import { encodeFrame } from '../wire/encode.js';
import type { BoardHub } from './board-hub.js';
import { FriendsWindow } from './friends-window.js';
import { latestWins } from './latest-wins.js';
import { MeWindow } from './me-window.js';
import type { Outbox } from './outbox.js';
import type { Principal } from './principal.js';
import { asRefusal, isDefect, RETRY_AFTER_MS, RefusedError } from './refusal.js';
import { TopWindow } from './top-window.js';
import { type FriendsRequest, isKnownKind, isPrivateKind, readWindowRequest, windowKey } from './window-request.js';
import type { SessionWindow } from './windows.js';

/** Topics of windows that are a session's own begin here; shared windows are numbered below, by the gateway. */
const FIRST_OWN_TOPIC = 2 ** 31;
/** How often a client is told what it should show. */
const SYNC_MS = 10_000;

export interface HubDirectory {
  /** The hub of a list id (`arena` or `arena;s=12`), `undefined` where no such board or season is declared. */
  find(listId: string): BoardHub | undefined;
}

export interface FriendLists {
  friendsOf(playerId: string): Promise<readonly string[]>;
  /** Keeps the list at hand and tells of each change until the answered function is called. */
  pin(playerId: string, onChange: () => void): () => void;
}

export interface SubscriptionOptions {
  readonly directory: HubDirectory;
  readonly friends: FriendLists;
  readonly outbox: Outbox;
  /** Who the session is. */
  readonly principal: () => Principal;
  readonly maxTopics: number;
  /** From one SYNC of a window to the next. Default 10 s. */
  readonly syncMs?: number;
  /** Something waits in a window. `newestAt`: broker time of the change, where one player's change caused it. */
  readonly onPending: (window: SessionWindow, newestAt: number | null) => void;
  readonly countTopic: (kind: string, step: 1 | -1) => void;
  /** An error that is neither the client's nor a store's: a defect. */
  readonly onDefect: (error: unknown) => void;
}

interface OpenWindow {
  readonly window: TopWindow | MeWindow | FriendsWindow;
  readonly hub: BoardHub;
  readonly kind: string;
  /** `performance.now()` of its next SYNC. */
  syncAt: number;
  close(): void;
}

export class Subscriptions {
  /** Whether the client checks SYNC. */
  canSync = false;
  private readonly open = new Map<number, OpenWindow>();
  private nextOwnTopic = FIRST_OWN_TOPIC;
  private isClosed = false;
  /** The token has ended: private windows go on inside and say nothing. */
  private isSilenced = false;
  /** UNSUBSCRIBED of private windows that ended in the silence. */
  private readonly untold: Uint8Array[] = [];
  private readonly syncMs: number;

  constructor(private readonly options: SubscriptionOptions) {
    this.syncMs = options.syncMs ?? SYNC_MS;
  }

  async subscribe(frame: SubscribeFrame): Promise<void> {
    const [, reqId, kind, listId, args] = frame;
    try {
      const hub = this.options.directory.find(listId);
      if (hub === undefined) throw new RefusedError(ErrorCode.notFound, 'no such board or season');
      this.requireAllowed(hub, kind);
      const opened = await this.openWindow(hub, kind, args);
      if (this.isClosed) return this.close(opened);
      this.answerSubscribed(opened, frame);
    } catch (error) {
      this.answerError(reqId, error);
    }
  }

  unsubscribe(reqId: number, topic: number): void {
    const opened = this.open.get(topic);
    if (opened === undefined) return this.answerError(reqId, new RefusedError(ErrorCode.notFound, 'no such topic'));
    this.close(opened);
    this.options.outbox.push(encodeFrame([FrameType.unsubscribed, reqId, topic, 200, '']));
  }

  /** Whether the session has the topic; its snapshot is on its way then. */
  resync(topic: number): boolean {
    const window = this.open.get(topic)?.window;
    if (window === undefined) return false;
    window.invalidate();
    this.options.onPending(window, null);
    return true;
  }

  /** Nothing more for the windows that only the player may see, also of what waits already. */
  silence(): void {
    this.isSilenced = true;
    for (const { window } of this.open.values()) if (this.isSilent(window)) this.options.outbox.forget(window);
    this.options.outbox.withhold(isOfOwnWindow);
  }

  /** They may speak again, or still: each is sent whole. */
  speak(): void {
    this.isSilenced = false;
    for (const frame of this.untold.splice(0)) this.options.outbox.push(frame);
    for (const { window } of this.open.values()) {
      if (window.isShared) continue;
      window.invalidate();
      this.options.onPending(window, null);
    }
  }

  /** Whether nothing of the window may be sent now. */
  isSilent(window: SessionWindow): boolean {
    return this.isSilenced && !window.isShared;
  }

  /** About once a second: SYNC where it is due. `now`: `performance.now()`. */
  tick(now: number): void {
    // A full socket gets the present state when it has room again; what it shows until then is known to be old.
    if (!this.canSync || this.options.outbox.isBlocked) return;
    for (const opened of this.open.values()) {
      if (now < opened.syncAt) continue;
      opened.syncAt = now + this.syncMs;
      opened.window.sync();
    }
  }

  closeAll(): void {
    this.isClosed = true;
    for (const opened of [...this.open.values()]) this.close(opened);
    this.options.outbox.close();
  }

  private close(opened: OpenWindow): void {
    this.open.delete(opened.window.topic);
    this.options.outbox.forget(opened.window);
    this.options.countTopic(opened.kind, -1);
    opened.close();
  }

  private async openWindow(hub: BoardHub, kind: number, args: readonly unknown[]): Promise<OpenWindow> {
    await hub.view.whenCurrent();
    const request = readWindowRequest(kind, args, hub.topSize);
    const key = windowKey(hub.listId, request);
    switch (request.kind) {
      case 'top':
        return this.find(key) ?? this.openTop(hub, key, request.limit);
      case 'me': {
        const playerId = this.requirePlayer();
        return this.find(key) ?? (await this.openMe(hub, key, playerId));
      }
      case 'friends': {
        const playerId = this.requirePlayer();
        return this.find(key) ?? (await this.openFriends(hub, key, playerId, request));
      }
    }
  }

  private openTop(hub: BoardHub, key: string, limit: number): OpenWindow {
    this.requireRoom();
    const shared = hub.topTopic(limit);
    if (shared === undefined) {
      const reason = `too many lengths of this top are watched now: take the default, ${hub.topSize}`;
      throw new RefusedError(ErrorCode.unavailable, reason, RETRY_AFTER_MS);
    }
    return this.register(hub, 'top', new TopWindow(key, shared, this.options.onPending));
  }

  private async openMe(hub: BoardHub, key: string, playerId: string): Promise<OpenWindow> {
    this.requireRoom();
    const window = new MeWindow(key, this.takeTopic(), hub, this.options.onPending);
    return await this.registerOpened(hub, 'me', window, () => window.open(playerId));
  }

  private async openFriends(
    hub: BoardHub,
    key: string,
    playerId: string,
    { limit, includeSelf }: FriendsRequest,
  ): Promise<OpenWindow> {
    this.requireRoom();
    const window = new FriendsWindow(key, this.takeTopic(), hub, this.options.onPending);
    const readList = async (): Promise<readonly string[]> => {
      const friends = await this.options.friends.friendsOf(playerId);
      if (friends.length > limit) {
        throw new RefusedError(ErrorCode.tooLarge, `${friends.length} friends do not fit the limit of ${limit}`);
      }
      return [...new Set(includeSelf ? [playerId, ...friends] : friends)];
    };
    const refresh = latestWins(
      async () => {
        await window.show(readList).catch((error: unknown) => this.endRefused(window, error));
        this.options.onPending(window, null);
      },
      () => window.isClosed,
    );
    const unpin = this.options.friends.pin(playerId, refresh);
    return await this.registerOpened(hub, 'friends', window, () => window.open(readList), unpin);
  }

  /** A list that may no longer be shown: the server's own UNSUBSCRIBED. Any other error may pass. */
  private endRefused(window: FriendsWindow, error: unknown): void {
    const opened = this.open.get(window.topic);
    if (isDefect(error)) this.options.onDefect(error);
    if (!(error instanceof RefusedError) || opened === undefined) throw error;
    this.close(opened);
    const ended = encodeFrame([FrameType.unsubscribed, 0, window.topic, error.code, error.message]);
    if (this.isSilent(window)) this.untold.push(ended);
    else this.options.outbox.push(ended);
  }

  /** Opens what needs the store; where that fails, nothing of it stays. */
  private async registerOpened(
    hub: BoardHub,
    kind: string,
    window: MeWindow | FriendsWindow,
    open: () => Promise<void>,
    release: () => void = () => {},
  ): Promise<OpenWindow> {
    try {
      await open();
      return this.register(hub, kind, window, release);
    } catch (error) {
      release();
      window.close();
      throw error;
    }
  }

  private register(
    hub: BoardHub,
    kind: string,
    window: TopWindow | MeWindow | FriendsWindow,
    release: () => void = () => {},
  ): OpenWindow {
    const opened: OpenWindow = {
      window,
      hub,
      kind,
      // Each on a phase of its own: those who came at once, as after a restart, must not all be due at once for ever.
      syncAt: performance.now() + Math.random() * this.syncMs,
      close: () => {
        release();
        window.close();
      },
    };
    this.open.set(window.topic, opened);
    this.options.countTopic(kind, 1);
    return opened;
  }

  private answerSubscribed({ window, hub }: OpenWindow, frame: SubscribeFrame): void {
    const [, reqId, , , , epoch = null, seq = null] = frame;
    const start = window.begin(epoch, seq);
    this.options.outbox.push(
      encodeFrame([FrameType.subscribed, reqId, window.topic, start, window.epoch, window.seq, hub.describe()]),
    );
    // The token may have ended while the window was opened.
    if (start !== SubscribeStart.current && !this.isSilent(window)) this.options.outbox.markDirty(window);
  }

  answerError(reqId: number, error: unknown): void {
    if (isDefect(error)) this.options.onDefect(error);
    const { code, message, retryAfterMs } = asRefusal(error);
    this.options.outbox.push(encodeFrame([FrameType.error, reqId, code, message, retryAfterMs]));
  }

  /** Before anything is read for the window. */
  private requireRoom(): void {
    const { maxTopics } = this.options;
    if (this.open.size < maxTopics) return;
    throw new RefusedError(ErrorCode.tooLarge, `at most ${maxTopics} topics in a session`);
  }

  /** Before anything of the window is looked at. */
  private requireAllowed(hub: BoardHub, kind: number): void {
    const principal = this.options.principal();
    // A player's own windows are nobody else's to allow; whether there is a player is asked where they are opened.
    if (isPrivateKind(kind) && principal.kind !== 'key') return;
    if (isKnownKind(kind) && !principal.mayWatch(hub.describe()[0], kind)) {
      throw new RefusedError(ErrorCode.forbidden, 'this session may not watch that');
    }
  }

  private requirePlayer(): string {
    const { playerId } = this.options.principal();
    if (playerId === null) throw new RefusedError(ErrorCode.unauthorized, 'this window needs a player token in HELLO');
    if (this.isSilenced) throw new RefusedError(ErrorCode.unauthorized, 'the token has ended: send REFRESH first');
    return playerId;
  }

  private find(key: string): OpenWindow | undefined {
    return [...this.open.values()].find((opened) => opened.window.key === key);
  }

  private takeTopic(): number {
    const topic = this.nextOwnTopic;
    this.nextOwnTopic += 1;
    return topic;
  }
}

/** SNAPSHOT and all above it begin with their topic. */
function isOfOwnWindow(frame: Uint8Array): boolean {
  const [type, topic] = decodeFrame(frame) as [type: number, topic: number];
  return type >= FrameType.snapshot && topic >= FIRST_OWN_TOPIC;
}
