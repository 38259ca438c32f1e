/** The frames: numbers, fields and their order. PROTOCOL.md is the normative text; schema.ts checks the shapes. */

export const SUBPROTOCOL = 'rankcast.v1.msgpack';
/** The same arrays as JSON text, for debugging. */
export const JSON_SUBPROTOCOL = 'rankcast.v1.json';

/** First element of each frame. */
export const FrameType = {
  batch: 0,
  hello: 1,
  welcome: 2,
  ping: 3,
  pong: 4,
  error: 5,
  goaway: 6,
  refresh: 7,
  refreshed: 8,
  subscribe: 16,
  subscribed: 17,
  unsubscribe: 18,
  unsubscribed: 19,
  resync: 20,
  snapshot: 32,
  delta: 33,
  rank: 34,
  board: 36,
  sync: 37,
} as const;

/** Bits of `caps` in HELLO and WELCOME. */
export const Capability = { batch: 1, delta: 2, sync: 4 } as const;

/** `kind` in SUBSCRIBE. */
export const WindowKind = { top: 1, around: 2, me: 3, friends: 4, players: 5 } as const;
export type WindowKind = (typeof WindowKind)[keyof typeof WindowKind];

/** `start` in SUBSCRIBED. */
export const SubscribeStart = { snapshot: 0, current: 1, deltas: 2 } as const;
export type SubscribeStart = (typeof SubscribeStart)[keyof typeof SubscribeStart];

/** `why` in RESYNC. */
export const ResyncWhy = { gap: 1, checksum: 2 } as const;

/** `reason` in GOAWAY. */
export const GoawayReason = { drain: 1, rebalance: 2, upgrade: 3 } as const;
export type GoawayReason = (typeof GoawayReason)[keyof typeof GoawayReason];

/** `code` in ERROR and UNSUBSCRIBED; HTTP-shaped. Retry only 429 and 500 or above. */
export const ErrorCode = {
  badFrame: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  badArgument: 422,
  slowDown: 429,
  internal: 500,
  unavailable: 503,
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** What a client frame may weigh; a larger one closes the socket. */
export const MAX_CLIENT_FRAME_BYTES = 4_096;
/** What the server keeps its frames under; larger snapshots come in parts (`more`). */
export const MAX_SERVER_FRAME_BYTES = 32_768;

type Nil<T> = T | null;

// Client to server.
export type HelloFrame = [type: 1, token: Nil<string>, client: string, caps: number, sessionId?: Nil<string>];
export type PingFrame = [type: 3, nonce?: Nil<number>];
export type RefreshFrame = [type: 7, reqId: number, token: string];
export type SubscribeFrame = [
  type: 16,
  reqId: number,
  kind: number,
  boardId: string,
  args: readonly unknown[],
  epoch?: Nil<number>,
  seq?: Nil<number>,
  minIntervalMs?: Nil<number>,
  more?: Nil<boolean>,
];
export type UnsubscribeFrame = [type: 18, reqId: number, topic: number];
export type ResyncFrame = [type: 20, topic: number, epoch: number, seq: number, why: number];

// Server to client.
export type WelcomeFrame = [
  type: 2,
  sessionId: string,
  now: number,
  heartbeatMs: number,
  expiresInMs: Nil<number>,
  playerId: Nil<string>,
  limits: [topics: number, frameBytes: number, framesPer10s: number, bytesPer10s: number],
  caps: number,
  build: string,
];
export type PongFrame = [type: 4, nonce: Nil<number>, now: number];
export type ErrorFrame = [type: 5, reqId: number, code: number, message: string, retryAfterMs: Nil<number>];
export type GoawayFrame = [type: 6, reason: number, retryAfterMs: number, graceMs: number, url: Nil<string>];
export type RefreshedFrame = [type: 8, reqId: number, expiresInMs: Nil<number>];
export type BoardDescription = [
  boardId: string,
  title: string,
  seasonId: string,
  order: 0 | 1,
  ranking: 0 | 1 | 2,
  format: 0 | 1 | 2,
  decimals: number,
  startsAt: Nil<number>,
  endsAt: Nil<number>,
  state: 0 | 1 | 2 | 3,
  tiers?: Nil<TierDescription>,
  period?: Nil<string>,
  scope?: Nil<string>,
];
/** `measure`: 0 points (of the first key), 1 percent of the players; the best tier first. */
export type TierDescription = [measure: 0 | 1, steps: readonly [name: string, limit: number][]];
export type SubscribedFrame = [
  type: 17,
  reqId: number,
  topic: number,
  start: number,
  epoch: number,
  seq: number,
  board: BoardDescription,
];
export type UnsubscribedFrame = [type: 19, reqId: number, topic: number, code: number, message: string];

/** A row of a placed window (top): its rank follows from `first` and its index. */
export type PlacedEntry = [ref: number, score: number, rank: Nil<number>, playerId: string, name?: Nil<string>];
/** A row put at its final index; the tail from `playerId` on only where the ref is new to the window. */
export type PlacedChange = [
  index: number,
  ref: number,
  score: number,
  rank?: Nil<number>,
  playerId?: string,
  name?: Nil<string>,
];
/**
 * A row of an unplaced window (friends), in SNAPSHOT and DELTA alike; the client sorts by (order, id bytes), both
 * descending, unranked last. `order` is the packed score. The tail from `playerId` only where the ref is new.
 */
export type UnplacedRow = [
  ref: number,
  score: Nil<number>,
  rank: Nil<number>,
  prevRank: Nil<number>,
  order: Nil<number>,
  at: Nil<number>,
  playerId?: string,
  name?: Nil<string>,
];
export type SnapshotFrame = [
  type: 32,
  topic: number,
  epoch: number,
  seq: number,
  first: number,
  total: number,
  entries: readonly (PlacedEntry | UnplacedRow)[],
  at: number,
  more?: boolean,
];
export type DeltaFrame = [
  type: 33,
  topic: number,
  seq: number,
  span: number,
  removed: readonly number[],
  placed: readonly (PlacedChange | UnplacedRow)[],
  first: Nil<number>,
  total: Nil<number>,
  at: number,
];
export type RankFrame = [
  type: 34,
  topic: number,
  seq: number,
  rank: Nil<number>,
  prevRank: Nil<number>,
  score: Nil<number>,
  total: number,
  gapAbove: Nil<number>,
  bestRank: Nil<number>,
  at: number,
  epoch: number,
  tier?: Nil<string>,
];

/** The window shows another list from now on, or its board another state; the snapshot of it follows. */
export type BoardFrame = [type: 36, topic: number, state: number, board?: Nil<BoardDescription>];
/** `check`: see `windowCheck` in check.ts. */
export type SyncFrame = [type: 37, topic: number, epoch: number, seq: number, check: Nil<number>];

export type ClientFrame = HelloFrame | PingFrame | RefreshFrame | SubscribeFrame | UnsubscribeFrame | ResyncFrame;
export type ServerFrame =
  | WelcomeFrame
  | PingFrame
  | PongFrame
  | ErrorFrame
  | GoawayFrame
  | RefreshedFrame
  | SubscribedFrame
  | UnsubscribedFrame
  | SnapshotFrame
  | DeltaFrame
  | RankFrame
  | BoardFrame
  | SyncFrame;
export type BatchFrame = [type: 0, frames: readonly ServerFrame[]];
