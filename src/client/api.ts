/** What users of the SDK see: the client, its views and their states. */

import type { LeaderboardError } from './errors.js';
import type { SocketConstructor } from './transport.js';
import type { ShownRow } from './window.js';

export interface ClientOptions {
  /** `ws://host/v1/socket`; the http(s) address of the server does as well. */
  readonly url: string;
  /**
   * Asked before each connection. `null`, or no function: anonymous, which is enough for `top`. What it throws is retried,
   * and so is an answer that takes longer than 8 s. A token that is refused, or over within 5 s of a connection, is
   * asked for once more; the second time in a row the client gives up.
   *
   * Asked as well when four fifths of a token's time are over, or a minute before its end where that is later, and
   * every 5 s from then on until it brings another one. That one takes the place of the old without a break.
   */
  readonly getToken?: () => Promise<string | null> | string | null;
  /** Default: the platform's. Node 20 has none; pass the class of the `ws` package. */
  readonly WebSocket?: SocketConstructor;
  /** How this client calls itself in the server's log. Default `sdk-js/<version>`. */
  readonly clientName?: string;
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number;
  /** 0 up to but not 1; spreads reconnects. Default `Math.random`. */
  readonly random?: () => number;
  readonly setTimeout?: (run: () => void, delayMs: number) => unknown;
  readonly clearTimeout?: (timer: unknown) => void;
}

/**
 * `idle`: nothing was asked yet. `connecting`: never been live. `live`. `resuming`: was live, trying again; views keep
 * what they show. `closed`: by `close()`, or because trying again cannot help; `connect()` starts anew.
 */
export type ClientState = 'idle' | 'connecting' | 'live' | 'resuming' | 'closed';

export interface StateDetail {
  /** Why the last connection ended, `null` where none has. See proto/close-codes.ts. */
  readonly code: number | null;
  readonly reason: string;
  /** When the next try is due, `null` where none waits. */
  readonly retryInMs: number | null;
}

export interface ClientEvents {
  state: (state: ClientState, detail: StateDetail) => void;
  /** What went wrong and is nobody else's: a refused token, a listener that threw, bytes that are no frame. */
  error: (error: LeaderboardError) => void;
}

export interface Client {
  readonly state: ClientState;
  /** Who the token says this is; `null` while unknown and for the anonymous. */
  readonly playerId: string | null;
  /**
   * How often a window was asked for whole: `gaps` where a frame was missing, `checksums` where everything came and the
   * window was wrong all the same, which is a defect of one of the two sides.
   */
  readonly resyncs: { readonly gaps: number; readonly checksums: number };
  /**
   * The first places. `limit` 1 to the board's top size, which is the default. A board's other lists are named behind its id, as
   * PROTOCOL.md says: `arena;d` (today's), `arena;w=2026-W42`, `arena;s=12;guild=77`.
   *
   * For all three: the same arguments give the same view, and each call takes a hold on it that `view.close()` gives
   * back. The first call connects.
   */
  top(boardId: string, options?: { readonly limit?: number }): View<WindowState<RankedEntry>>;
  /** The token's player among friends. `limit` 1 to 10,000 (default); `includeSelf` default true. */
  friends(
    boardId: string,
    options?: { readonly limit?: number; readonly includeSelf?: boolean },
  ): View<WindowState<FriendEntry>>;
  /**
   * The neighbours of a player, in places: up to `above` and `below` rows of them, 0 to 50, default 5. `playerId`: default the token's.
   * Empty while he has no row. Needs a player's token, or a key that allows it.
   */
  around(
    boardId: string,
    options?: { readonly above?: number; readonly below?: number; readonly playerId?: string },
  ): View<WindowState<RankedEntry>>;
  /**
   * Players by their ids, 1 to 1,000, wherever they stand: a friends list that lives elsewhere, or rivals. Repeats are dropped; the rows
   * are those of `friends`. Needs a player's token, or a key that allows it.
   */
  players(boardId: string, playerIds: readonly string[]): View<WindowState<FriendEntry>>;
  /** The token's player: own rank, also when others move it. */
  me(boardId: string): View<MyRankState>;
  on<Name extends keyof ClientEvents>(event: Name, listener: ClientEvents[Name]): () => void;
  /**
   * Connects now: before the first view, after `closed`, or instead of waiting for the next try. While live: where nothing
   * was heard for 2 s, asks the server for a sign of life, and connects anew where none comes within 3 s, or at once
   * where the silence has been too long already. Call it
   * when the platform reports that the network or the screen is back: a socket may be dead long before it says so.
   */
  connect(): void;
  /** Ends the connection and leaves the views as they are, stale. */
  close(): void;
}

export interface FrameShown {
  readonly seq: number;
  readonly epoch: number;
  /** Server time of the newest result in the frame. */
  readonly at: number;
  /** The rows that the frame carried: all of a snapshot, the placed ones of a delta. Do not keep them. */
  readonly rows: readonly ShownRow[];
}

export interface ViewEvents {
  /** Each applied frame with the rows it showed; called before `subscribe`'s listeners, builds nothing. */
  frame: (shown: FrameShown) => void;
  error: (error: LeaderboardError) => void;
}

/** A live window. What it shows stays on show, marked stale, while the connection is away. */
export interface View<State> {
  /** A frozen picture, `null` until the first frame. The same object until something changes; built when read. */
  readonly current: State | null;
  /** The board as the server describes it, `null` until the subscription is answered. */
  readonly board: BoardSummary | null;
  /** Called after each applied frame and when `stale` changes; read `current` there, or later. */
  subscribe(listener: () => void): () => void;
  on<Name extends keyof ViewEvents>(event: Name, listener: ViewEvents[Name]): () => void;
  /** Resolves with the first picture; rejects with a `LeaderboardError` where the subscription is refused or closed. */
  ready(): Promise<void>;
  /** Gives one hold back; with the last one the subscription ends. */
  close(): void;
}

export interface BoardSummary {
  readonly boardId: string;
  readonly title: string;
  readonly seasonId: string;
  /** The day or week that is ranked, such as `d:2026-10-12` or `w:2026-W42`; `null`: the whole season. */
  readonly period: string | null;
  /** Among whom, such as `guild:77`; `null`: everybody. */
  readonly scope: string | null;
  /** Of the period, or else of the season: epoch milliseconds, `null` where open. */
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** `null` where the board has none. */
  readonly tiers: BoardTiers | null;
}

/** The named bands of a board, the best first; a player is in the first whose limit he is within. */
export interface BoardTiers {
  /** `points`: at least the limit (at most, on a board that puts low first). `top-percent`: of the players, rounded up. */
  readonly measure: 'points' | 'top-percent';
  readonly steps: readonly { readonly name: string; readonly limit: number }[];
}

export interface RankedEntry {
  /** From 1. */
  readonly rank: number;
  /** The rank before it last moved in this window, `null` where it has not moved since it came in or since a snapshot. */
  readonly prevRank: number | null;
  readonly playerId: string;
  readonly name: string | null;
  readonly score: number;
  /** Server time of the frame that last placed the row, epoch milliseconds. */
  readonly at: number;
}

export interface FriendEntry {
  /** The rank among all players; `null` without a result. */
  readonly rank: number | null;
  /** The rank before the last change, as the server tells it. */
  readonly prevRank: number | null;
  readonly playerId: string;
  readonly name: string | null;
  readonly score: number | null;
  /** When the player's own last change came in, epoch milliseconds. */
  readonly at: number | null;
}

/** What every picture carries. */
export interface Stamp {
  /** How many players the board ranks. */
  readonly total: number;
  readonly seq: number;
  readonly epoch: number;
  /** Server time of the newest result inside, epoch milliseconds. */
  readonly at: number;
  /** May be behind the server: the connection is away, a fresh snapshot was asked for, or the token of a private window is over. */
  readonly stale: boolean;
}

export interface WindowState<Entry> extends Stamp {
  /** Best first; friends without a result last, by id. */
  readonly entries: readonly Entry[];
}

export interface MyRankState extends Stamp {
  /** `null` without a result. */
  readonly rank: number | null;
  readonly prevRank: number | null;
  readonly score: number | null;
  /** The share of the players who stand no lower, in percent: 0.5 is "top 0.5 %". `null` without a result. */
  readonly topPercent: number | null;
  /** The name of the tier, `null` below the last one and where the board has none. */
  readonly tier: string | null;
}
