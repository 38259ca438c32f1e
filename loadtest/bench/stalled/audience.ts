/** The sockets of the bench `stalled`: the first players stop reading and have many friends, the next ones read, the rest have none. */

import type { PlayerTokens } from '../../../src/ops/player-tokens.js';
import { ShownCursor, type ShownRecorder } from '../../lib/due-results.js';
import { type ExpectedBoard, findDifference } from '../../lib/expected-board.js';
import { chooseFriendPairs, type FriendPair, friendsOfEach } from '../../lib/friend-pairs.js';
import type { Player } from '../../lib/players.js';
import { FriendSocket } from '../gateway/friend-socket.js';
import type { StalledOptions } from './options.js';
import { StallingSocket } from './stalling-socket.js';

const CONNECTING = 50;
const TOKEN_LIFETIME_SEC = 3_600;
/** The default of a subscription, and of the built-in board. */
const TOP_SIZE = 100;

export interface AudienceOptions {
  /** `ws://...` of the sockets. */
  readonly url: string;
  readonly tokens: PlayerTokens;
  readonly options: StalledOptions;
  readonly players: readonly Player[];
  readonly pairs: readonly FriendPair[];
  readonly recorder: ShownRecorder;
}

/** Those who read are friends of anybody who does not stop: a stopped one's friends are those without a socket. */
export function chooseStalledPairs(options: StalledOptions, random: () => number): FriendPair[] {
  const { sockets, stalled, friends, players } = options;
  const ofReaders = chooseFriendPairs(players - stalled, friends, random).map(([one, other]): FriendPair => {
    return [one + stalled, other + stalled];
  });
  const ofStalled = Array.from({ length: stalled }, (_, one) =>
    Array.from({ length: players - sockets }, (_, step): FriendPair => [one, sockets + step]),
  );
  return [...ofReaders, ...ofStalled.flat()];
}

export class StalledAudience {
  readonly stalling: StallingSocket[] = [];
  readonly readers: FriendSocket[] = [];
  /** By index: the players whom the window of a player shows. */
  private readonly shown: readonly (readonly Player[])[];

  constructor(private readonly about: AudienceOptions) {
    const { players, pairs } = about;
    this.shown = friendsOfEach(players.length, pairs).map((friends, index) => {
      return [index, ...friends].flatMap((at) => players[at] ?? []);
    });
  }

  /** Resolves when every window shows something. */
  async open(): Promise<void> {
    const { players, options, tokens } = this.about;
    const opening: Promise<void>[] = [];
    for (const { index, playerId } of players.slice(0, options.sockets)) {
      opening.push(this.openOne(index, await tokens.sign(playerId, TOKEN_LIFETIME_SEC)));
      if (opening.length === CONNECTING) await Promise.all(opening.splice(0));
    }
    await Promise.all(opening);
  }

  /** Windows that show something else than the board, of all but these sockets. */
  findDifferences(board: ExpectedBoard, except: readonly StallingSocket[]): string[] {
    const differences = this.readers.map((reader, number) => {
      return findDifference(reader.entries(), this.friendRows(board, this.about.options.stalled + number));
    });
    this.stalling.forEach((socket, index) => {
      if (except.includes(socket)) return;
      differences.push(findDifference(socket.friendEntries(), this.friendRows(board, index)));
      differences.push(findDifference(socket.topEntries(), board.rows.slice(0, TOP_SIZE)));
    });
    return differences.filter((difference) => difference !== null);
  }

  close(): void {
    for (const socket of [...this.stalling, ...this.readers]) socket.close();
  }

  private friendRows(board: ExpectedBoard, index: number) {
    return board.rowsOf((this.shown[index] ?? []).map(({ playerId }) => playerId));
  }

  private openOne(index: number, token: string): Promise<void> {
    const { url, options, recorder } = this.about;
    if (index < options.stalled) {
      const socket = new StallingSocket(url, token);
      this.stalling.push(socket);
      return socket.open();
    }
    const cursors = new Map(
      (this.shown[index] ?? []).map(({ playerId, due }) => [playerId, new ShownCursor(due)] as const),
    );
    const socket = new FriendSocket({ url, token, cursors, recorder, received: { messages: 0, rows: 0, bytes: 0 } });
    this.readers.push(socket);
    return socket.open();
  }
}
