/** A client with a scripted server: the first frames of each test, said once. */

import type {
  BoardDescription,
  RankFrame,
  SnapshotFrame,
  SubscribedFrame,
  WelcomeFrame,
} from '../../../proto/frames.js';
import { type Client, type ClientOptions, createClient, type LeaderboardError } from '../../../src/client/index.js';
import { FakeClock, settled } from './fake-clock.js';
import { type ScriptedNetwork, scriptedNetwork } from './scripted-socket.js';

export const BOARD: BoardDescription = ['arena', 'Arena', '12', 0, 0, 0, 0, 1_700_000_000_000, null, 0];

export interface Session {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly network: ScriptedNetwork;
  readonly errors: LeaderboardError[];
  readonly states: string[];
}

/** Waits are 0 unless the options bring a `random`. */
export function newSession(options: Partial<ClientOptions> = {}): Session {
  const clock = new FakeClock();
  const network = scriptedNetwork();
  const { now, setTimeout, clearTimeout } = clock;
  const parts = { url: 'ws://game.test/v1/socket', WebSocket: network.WebSocket, now, setTimeout, clearTimeout };
  const client = createClient({ ...parts, random: () => 0, ...options });
  const errors: LeaderboardError[] = [];
  const states: string[] = [];
  client.on('error', (error) => errors.push(error));
  client.on('state', (state) => states.push(state));
  return { client, clock, network, errors, states };
}

export function welcome(playerId: string | null = null, expiresInMs: number | null = null): WelcomeFrame {
  return [2, 'session-1', 1_800_000_000_000, 25_000, expiresInMs, playerId, [32, 4096, 30, 65_536], 7, 'test'];
}

/** The newest socket opens and is welcomed. */
export async function goLive(session: Session, playerId: string | null = null): Promise<void> {
  await settled();
  session.network.socket.open();
  session.network.socket.deliver(welcome(playerId));
}

export function subscribed(
  reqId: unknown,
  topic: number,
  start: 0 | 1 | 2,
  epoch: number,
  seq: number,
): SubscribedFrame {
  return [17, Number(reqId), topic, start, epoch, seq, BOARD];
}

export function topSnapshot(
  topic: number,
  epoch: number,
  seq: number,
  rows: readonly [number, number, string][],
): SnapshotFrame {
  const entries = rows.map(([ref, score, id]): SnapshotFrame[6][number] => [ref, score, null, id, id.toUpperCase()]);
  return [32, topic, epoch, seq, 1, rows.length, entries, 1_800_000_000_000 + seq];
}

export function rankFrame(topic: number, epoch: number, seq: number, rank: number | null): RankFrame {
  return [34, topic, seq, rank, null, rank === null ? null : 100, 500, null, null, 1_800_000_000_000 + seq, epoch];
}

/** Answers the newest SUBSCRIBE with topic 7 and a snapshot of three rows at (900, 10). */
export function answerTop(session: Session): void {
  const { socket } = session.network;
  socket.deliver(subscribed(socket.last(16)[1], 7, 0, 900, 10));
  socket.deliver(topSnapshot(7, 900, 10, [[1, 300, 'ada'], [2, 200, 'bo'], [3, 100, 'cy']])); // biome-ignore format: one line
}

export function namesOf(current: { readonly entries: readonly { readonly playerId: string }[] } | null): string[] {
  return (current?.entries ?? []).map((entry) => entry.playerId);
}
