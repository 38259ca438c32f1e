/** The windows of one session: which it may open, opening, resyncing and closing them. */

import { ErrorCode, FrameType, type SubscribeFrame, SubscribeStart } from '../../proto/frames.js';
import { PLAYER_SUBJECT } from '../domain/lists.js';
import { decodeFrame } from '../wire/decode.js';
import { encodeFrame } from '../wire/encode.js';
import { AroundWindow } from './around-window.js';
import type { BoardHub } from './board-hub.js';
import type { FriendLists } from './friend-lists.js';
import { FriendsWindow, type FriendsWindowOwner } from './friends-window.js';
import { MeWindow } from './me-window.js';
import type { Outbox } from './outbox.js';
import { PlayersWindow } from './players-window.js';
import type { Principal } from './principal.js';
import { asRefusal, isDefect, RETRY_AFTER_MS, RefusedError } from './refusal.js';
import { SubscribeParts } from './subscribe-parts.js';
import { TopWindow } from './top-window.js';
import { isKnownKind, isPrivateKind, readWindowRequest, type WindowRequest } from './window-request.js';
import { FIRST_OWN_TOPIC, type MovingWindow, type SessionWindow } from './windows.js';

/** How often a client is told what it should show. */
const SYNC_MS = 10_000;
const NONE: readonly never[] = [];

export interface HubDirectory {
  /** The hub of a list id; throws `RefusedError` where there is no such list, or no room for it. */
  find(listId: string): BoardHub;
}

/** Whose they are. */
export interface SubscribedSession {
  readonly directory: HubDirectory;
  readonly friends: FriendLists;
  readonly outbox: Outbox;
  /** Who the session is. */
  readonly principal: Principal;
  readonly maxTopics: number;
  /** Something waits in a window. `newestAt`: broker time of the change, where one player's change caused it. */
  pending(window: SessionWindow, newestAt: number | null, spreadMs?: number): void;
  /** Others moved somebody in it. */
  moved(window: MovingWindow): void;
  /** A frame that nothing else brings along. */
  say(frame: Uint8Array): void;
  /** Nothing that waits in it is to be sent. */
  forget(window: SessionWindow): void;
  countTopic(kind: string, step: 1 | -1): void;
  /** An error that is neither the client's nor a store's. */
  logDefect(error: unknown): void;
}

export class Subscriptions implements FriendsWindowOwner {
  /** Whether the client checks SYNC. */
  canSync = false;
  /** A few: replaced, not changed, so that it is never larger than it must be. */
  private windows: readonly SessionWindow[] = NONE;
  private ownWindows = 0;
  private readonly parts = new SubscribeParts();
  private isClosed = false;
  /** The token has ended: private windows go on inside and say nothing. */
  private isSilenced = false;
  /** UNSUBSCRIBED of private windows that ended in the silence. */
  private untold: readonly Uint8Array[] = NONE;

  constructor(private readonly session: SubscribedSession) {}

  async subscribe(part: SubscribeFrame): Promise<void> {
    const [, reqId] = part;
    try {
      const frame = this.parts.take(part);
      if (frame === null) return;
      const [, , kind, listId, args] = frame;
      const hub = this.session.directory.find(listId);
      this.requireAllowed(hub, kind);
      const window = await this.openWindow(hub, kind, args);
      if (this.isClosed) return this.close(window);
      this.answerSubscribed(window, frame);
    } catch (error) {
      this.answerError(reqId, error);
    }
  }

  unsubscribe(reqId: number, topic: number): void {
    const window = this.ofTopic(topic);
    if (window === undefined) return this.answerError(reqId, new RefusedError(ErrorCode.notFound, 'no such topic'));
    this.close(window);
    this.session.outbox.push(encodeFrame([FrameType.unsubscribed, reqId, topic, 200, '']));
  }

  /** Whether the session has the topic; its snapshot is on its way then. */
  resync(topic: number): boolean {
    const window = this.ofTopic(topic);
    if (window === undefined) return false;
    window.invalidate();
    this.pending(window, null);
    return true;
  }

  /** Nothing more for the windows that only the player may see, also of what waits already. */
  silence(): void {
    this.isSilenced = true;
    for (const window of this.windows) if (this.isSilent(window)) this.session.forget(window);
    this.session.outbox.withhold(isOfOwnWindow);
  }

  /** They may speak again, or still: each is sent whole. */
  speak(): void {
    this.isSilenced = false;
    for (const frame of this.untold) this.session.outbox.push(frame);
    this.untold = NONE;
    for (const window of this.windows) {
      if (window.isShared) continue;
      window.invalidate();
      this.pending(window, null);
    }
  }

  /** From a window. */
  pending(window: SessionWindow, newestAt: number | null, spreadMs?: number): void {
    if (!this.isSilent(window)) this.session.pending(window, newestAt, spreadMs);
  }

  /** From a window. */
  moved(window: MovingWindow): void {
    if (!this.isSilent(window)) this.session.moved(window);
  }

  /** Whether nothing of the window may be sent now. */
  private isSilent(window: SessionWindow): boolean {
    return this.isSilenced && !window.isShared;
  }

  /** About once a second: SYNC where it is due. `now`: `performance.now()`. */
  tick(now: number): void {
    // A full socket gets the present state when it has room again; what it shows until then is known to be old.
    if (!this.canSync || this.session.outbox.isBlocked) return;
    for (const window of this.windows) {
      if (now < window.syncAt) continue;
      window.syncAt = Math.floor(now + SYNC_MS);
      window.sync();
    }
  }

  closeAll(): void {
    this.isClosed = true;
    for (const window of this.windows) this.close(window);
    this.session.outbox.close();
  }

  /** Harmless where it is closed: the session may have ended while the window was asked for once more. */
  private close(window: SessionWindow): void {
    if (!this.windows.includes(window)) return;
    this.windows = this.windows.filter((one) => one !== window);
    this.session.forget(window);
    this.session.countTopic(window.kind, -1);
    window.close();
  }

  private async openWindow(hub: BoardHub, kind: number, args: readonly unknown[]): Promise<SessionWindow> {
    await hub.view.whenCurrent();
    const asked = readWindowRequest(kind, args, hub.topSize);
    const isOwn = isPrivateKind(kind) || (asked.kind === 'around' && asked.playerId === null);
    const playerId = isOwn ? this.requirePlayer() : null;
    if (playerId !== null) requirePlayers(hub);
    const request = asked.kind === 'around' ? { ...asked, playerId: asked.playerId ?? playerId } : asked;
    const known = this.windows.find((window) => window.isFor(hub, request));
    if (known !== undefined) return known;
    this.requireRoom();
    const window = await this.openNew(hub, request, playerId ?? '');
    // Each on a phase of its own: those who came at once, as after a restart, must not all be due at once for ever.
    window.syncAt = Math.floor(performance.now() + Math.random() * SYNC_MS);
    // Of exactly its length, unlike one that grows.
    this.windows = this.windows.concat(window);
    this.session.countTopic(window.kind, 1);
    return window;
  }

  private async openNew(hub: BoardHub, request: WindowRequest, playerId: string): Promise<SessionWindow> {
    switch (request.kind) {
      case 'top':
        return this.openTop(hub, request.limit);
      case 'me': {
        const window = new MeWindow(this.takeNumber(), hub, this);
        return await opened(window, window.open(playerId));
      }
      case 'friends': {
        const window = new FriendsWindow(this.takeNumber(), hub, this, playerId, request);
        return await opened(window, window.open());
      }
      case 'around': {
        const window = new AroundWindow(this.takeNumber(), hub, this, {
          ...request,
          playerId: request.playerId ?? playerId,
        });
        return await opened(window, window.open());
      }
      case 'players': {
        const window = new PlayersWindow(this.takeNumber(), hub, this, request);
        return await opened(window, window.open());
      }
    }
  }

  private openTop(hub: BoardHub, limit: number): TopWindow {
    const shared = hub.topTopic(limit);
    if (shared === undefined) {
      const reason = `too many lengths of this top are watched now: take the default, ${hub.topSize}`;
      throw new RefusedError(ErrorCode.unavailable, reason, RETRY_AFTER_MS);
    }
    return new TopWindow(hub, shared, this);
  }

  get friends(): FriendLists {
    return this.session.friends;
  }

  /** A list that may no longer be shown: the server's own UNSUBSCRIBED. Any other error may pass. */
  cannotShow(window: FriendsWindow, error: unknown): void {
    if (isDefect(error)) this.session.logDefect(error);
    if (!(error instanceof RefusedError) || !this.windows.includes(window)) throw error;
    this.ended(window, error);
  }

  /** From a window: the server's own UNSUBSCRIBED. */
  ended(window: SessionWindow, error: RefusedError): void {
    if (!this.windows.includes(window)) return;
    this.close(window);
    const ended = encodeFrame([FrameType.unsubscribed, 0, window.topic, error.code, error.message]);
    if (this.isSilent(window)) this.untold = this.untold.concat(ended);
    else this.session.say(ended);
  }

  private answerSubscribed(window: SessionWindow, frame: SubscribeFrame): void {
    const [, reqId, , , , epoch = null, seq = null] = frame;
    const start = window.begin(epoch, seq);
    this.session.outbox.push(
      encodeFrame([FrameType.subscribed, reqId, window.topic, start, window.epoch, window.seq, window.hub.describe()]),
    );
    // The token may have ended while the window was opened.
    if (start !== SubscribeStart.current && !this.isSilent(window)) this.session.outbox.markDirty(window);
  }

  answerError(reqId: number, error: unknown): void {
    if (isDefect(error)) this.session.logDefect(error);
    const { code, message, retryAfterMs } = asRefusal(error);
    this.session.outbox.push(encodeFrame([FrameType.error, reqId, code, message, retryAfterMs]));
  }

  /** Before anything is read for the window. */
  private requireRoom(): void {
    const { maxTopics } = this.session;
    if (this.windows.length < maxTopics) return;
    throw new RefusedError(ErrorCode.tooLarge, `at most ${maxTopics} topics in a session`);
  }

  /** Before anything of the window is looked at. */
  private requireAllowed(hub: BoardHub, kind: number): void {
    const { principal } = this.session;
    // A player's own windows are nobody else's to allow; whether there is a player is asked where they are opened.
    if (isPrivateKind(kind) && principal.kind !== 'key') return;
    if (isKnownKind(kind) && !principal.mayWatch(hub.describe()[0], kind)) {
      if (principal.kind === 'anonymous')
        throw new RefusedError(ErrorCode.unauthorized, 'this window needs a token in HELLO');
      throw new RefusedError(ErrorCode.forbidden, 'this session may not watch that');
    }
  }

  private requirePlayer(): string {
    const { playerId } = this.session.principal;
    if (playerId === null) throw new RefusedError(ErrorCode.unauthorized, 'this window needs a player token in HELLO');
    if (this.isSilenced) throw new RefusedError(ErrorCode.unauthorized, 'the token has ended: send REFRESH first');
    return playerId;
  }

  private ofTopic(topic: number): SessionWindow | undefined {
    return this.windows.find((window) => window.topic === topic);
  }

  private takeNumber(): number {
    this.ownWindows += 1;
    return this.ownWindows - 1;
  }
}

/** The window when it is open; where that fails, nothing of it stays. */
async function opened<Window extends SessionWindow>(window: Window, opening: Promise<void>): Promise<Window> {
  try {
    await opening;
    return window;
  } catch (error) {
    window.close();
    throw error;
  }
}

/** Who is ranked where it is not players is nobody's own, and has no friends. */
function requirePlayers({ board: { boardId, subject } }: BoardHub): void {
  if (subject === PLAYER_SUBJECT) return;
  const reason = `board ${boardId} ranks by ${subject}, not players: it shows its top, and nobody's own rank or friends`;
  throw new RefusedError(ErrorCode.badArgument, reason);
}

/** SNAPSHOT and all above it begin with their topic. */
function isOfOwnWindow(frame: Uint8Array): boolean {
  const [type, topic] = decodeFrame(frame) as [type: number, topic: number];
  return type >= FrameType.snapshot && topic >= FIRST_OWN_TOPIC;
}
