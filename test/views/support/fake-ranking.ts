/** A ranking whose reads and feed a test holds in its hands: rows may fall and vanish, answers may wait, entries get lost. */

import type { AroundAsk, Change, ChangeLabel, ChangeSet, Entry, Standing } from '../../../src/domain/change.js';
import type { ListRef } from '../../../src/domain/lists.js';
import type { ChangeListener, ChangeSubscription, RankingReader, ReadRows } from '../../../src/views/ranking-reader.js';
import { BruteBoard } from './brute-board.js';

export type Move = readonly [playerId: string, score: number | null];

export interface Read {
  readonly kind: 'range' | 'players' | 'neighbours';
  readonly playerIds: readonly string[];
}

interface Follower {
  readonly listener: ChangeListener;
  toldSeq: number;
  isClosed: boolean;
}

export class FakeRanking implements RankingReader {
  board = new BruteBoard();
  /** Another list of the tag: reads are never of it, but its changes come in the same feed. */
  readonly elsewhere = new BruteBoard('d:2026-10-12');
  epoch = 100;
  seq = 0;
  /** Broker time of the next changes; `null`: one that grows with seq. */
  at: number | null = null;
  /** `false`: no finished board, reads answer `null`. */
  isFilled = true;
  /** `false`: changes stay in the log and are handed out by `catchUp`. */
  isFeeding = true;
  readonly reads: Read[] = [];
  /** Runs before the state of a read is taken; what it throws is the read's answer. */
  beforeRead: (read: Read) => void | Promise<void> = () => {};
  /** Runs between that moment and the answer's arrival. */
  afterRead: (read: Read) => void | Promise<void> = () => {};
  afterFollow: () => void = () => {};
  /** Players whom `hide` hid. */
  private readonly hidden = new Set<string>();
  private label: ChangeLabel | null = null;
  private log: ChangeSet[] = [];
  private readonly followers = new Set<Follower>();

  constructor(rows: Readonly<Record<string, number>> = {}) {
    for (const [playerId, score] of Object.entries(rows)) this.board.scores.set(playerId, score);
  }

  get followerCount(): number {
    return this.followers.size;
  }

  /** All moves in one change set; moves that change nothing are left out. */
  apply(...moves: readonly Move[]): void {
    this.move(moves, [this.board]);
  }

  hide(playerId: string): void {
    this.hidden.add(playerId);
    this.labelled([playerId, null]);
  }

  /** `score` is what his results come to. */
  unhide(playerId: string, score: number | null): void {
    this.hidden.delete(playerId);
    this.labelled([playerId, score]);
  }

  private labelled(move: Move): void {
    this.label = 'hide';
    this.apply(move);
    this.label = null;
  }

  /** The same in another list of the tag. */
  applyElsewhere(...moves: readonly Move[]): void {
    this.move(moves, [this.elsewhere]);
  }

  /** Each move in the other list and in this one, as of a result that counts in both. */
  applyInBoth(...moves: readonly Move[]): void {
    this.move(moves, [this.elsewhere, this.board]);
  }

  private move(moves: readonly Move[], boards: readonly BruteBoard[]): void {
    const changes: Change[] = [];
    for (const [playerId, score] of moves) {
      for (const board of boards) {
        const at = this.at ?? 1_700_000_000_000 + this.seq + changes.length + 1;
        const change = board.apply(playerId, score, at);
        if (change !== null) changes.push({ ...change, label: this.label });
      }
    }
    if (changes.length === 0) return;
    this.log.push({ epoch: this.epoch, fromSeq: this.seq + 1, toSeq: this.seq + changes.length, changes });
    this.seq += changes.length;
    if (this.isFeeding) this.catchUp();
  }

  /** As `apply`, but no follower ever gets it from the feed. */
  applyLost(...moves: readonly Move[]): void {
    const wasFeeding = this.isFeeding;
    this.isFeeding = false;
    this.apply(...moves);
    this.log = this.log.filter((set) => set.toSeq < this.seq);
    this.isFeeding = wasFeeding;
  }

  /** Hands every follower what the log holds above what he was told. */
  catchUp(): void {
    for (const follower of this.followers) {
      for (const set of this.log) {
        if (follower.isClosed || set.toSeq <= follower.toldSeq) continue;
        follower.toldSeq = set.toSeq;
        follower.listener.changes(set);
      }
    }
  }

  tellPosition(position: { epoch: number; seq: number } | null = { epoch: this.epoch, seq: this.seq }): void {
    for (const follower of this.followers) follower.listener.position(position);
  }

  /** A new history under a new epoch, as after a fill. */
  replace(seq: number, rows: Readonly<Record<string, number>>): void {
    this.epoch += 1;
    this.seq = seq;
    this.log = [];
    this.board = new BruteBoard();
    for (const [playerId, score] of Object.entries(rows)) this.board.scores.set(playerId, score);
    for (const follower of this.followers) follower.toldSeq = seq;
  }

  async readRange(_list: ListRef, fromRank: number, count: number): Promise<ReadRows<Entry> | null> {
    return await this.read({ kind: 'range', playerIds: [] }, () =>
      this.board.rows().slice(fromRank - 1, fromRank - 1 + count),
    );
  }

  async readPlayers(_list: ListRef, playerIds: readonly string[]): Promise<ReadRows<Standing> | null> {
    return await this.read({ kind: 'players', playerIds }, () => {
      const rows = new Map(this.board.rows().map((row) => [row.playerId, row]));
      return playerIds.map((playerId) => {
        const row = rows.get(playerId);
        const isHidden = row === undefined && this.hidden.has(playerId);
        const standing = { playerId, score: row?.score ?? null, rank: row?.rank ?? null };
        return isHidden ? { ...standing, isHidden: true as const } : standing;
      });
    });
  }

  async readNeighbours(_list: ListRef, asked: readonly AroundAsk[]): Promise<ReadRows<readonly Entry[]> | null> {
    return await this.read({ kind: 'neighbours', playerIds: asked.map(({ playerId }) => playerId) }, () => {
      const rows = this.board.rows();
      return asked.map(({ playerId, above, below }) => {
        const index = rows.findIndex((row) => row.playerId === playerId);
        return index < 0 ? [] : rows.slice(Math.max(0, index - above), index + below + 1);
      });
    });
  }

  follow(_list: ListRef, afterSeq: number, listener: ChangeListener): ChangeSubscription {
    const follower: Follower = { listener, toldSeq: afterSeq, isClosed: false };
    this.followers.add(follower);
    this.afterFollow();
    this.catchUpSoon();
    return {
      restart: (seq) => {
        follower.toldSeq = seq;
        this.catchUpSoon();
      },
      close: () => {
        follower.isClosed = true;
        this.followers.delete(follower);
      },
    };
  }

  private catchUpSoon(): void {
    setImmediate(() => {
      if (this.isFeeding) this.catchUp();
    });
  }

  private async read<Row>(read: Read, rowsOf: () => readonly Row[]): Promise<ReadRows<Row> | null> {
    this.reads.push(read);
    await this.beforeRead(read);
    const answer = this.isFilled
      ? { epoch: this.epoch, seq: this.seq, total: this.board.scores.size, rows: rowsOf() }
      : null;
    await this.afterRead(read);
    return answer;
  }
}

/** A promise and its key. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
