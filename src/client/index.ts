/** The SDK's public face: `rankcast/client`, for browsers and Node. */

export type {
  BoardSummary,
  BoardTiers,
  Client,
  ClientEvents,
  ClientOptions,
  ClientState,
  FrameShown,
  FriendEntry,
  MyRankState,
  RankedEntry,
  Stamp,
  StateDetail,
  View,
  ViewEvents,
  WindowState,
} from './api.js';
export { createClient } from './client.js';
export { LeaderboardError } from './errors.js';
export type { SocketConstructor, SocketLike } from './transport.js';
export type { ShownRow } from './window.js';
