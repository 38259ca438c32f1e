/** Typed decoding of what the scripts answer; the codes are the twin of lua/includes/reply-codes.lua. */

import type { Entry, Standing } from '../domain/change.js';
import { RankcastError } from '../domain/errors.js';
import type { Position } from '../domain/log-record.js';
import type { FillBegun, ListScan, Mark, Reading, SubmitOutcome, SubmitReply } from './ranking.js';

export const ReplyCode = {
  done: 0,
  noBoard: 1,
  otherDefinition: 2,
  behind: 3,
  exists: 4,
  superseded: 5,
  wrongChunk: 6,
  wrongSum: 7,
} as const;

/** A script answered something that the contract does not allow at this point: a defect, never a matter of luck. */
export class UnexpectedReplyError extends RankcastError {
  readonly isRetryable = false;
  constructor(script: string, reply: unknown) {
    super(`script ${script} answered ${JSON.stringify(reply)?.slice(0, 200)}`);
  }
}

/** A fill sent a chunk out of turn, or finished too early: the fill starts again. */
export class WrongChunkError extends RankcastError {
  readonly isRetryable = true;
  constructor(script: string, expected: number) {
    super(`script ${script}: the fill expects chunk ${expected} next; start the fill again`);
  }
}

/** What arrived of a fill is not what was sent: the fill starts again. */
export class WrongSumError extends RankcastError {
  readonly isRetryable = true;
  constructor(script: string, entries: unknown, checksum: unknown) {
    super(`script ${script}: ${entries} entries of sum ${checksum} arrived, others were sent; start the fill again`);
  }
}

/** By the digit that the script answers; twin of lua/includes/outcomes.lua. */
const OUTCOMES: readonly SubmitOutcome[] = ['skipped', 'applied', 'no-record', 'duplicate', 'late', 'marked', 'hidden'];
const DIGIT_ZERO = 48;

export function readSubmitReply(script: string, reply: readonly unknown[]): SubmitReply {
  switch (reply[0]) {
    case ReplyCode.done: {
      const digits = String(reply[2]);
      const outcomes: SubmitOutcome[] = [];
      for (let i = 0; i < digits.length; i++) {
        const outcome = OUTCOMES[digits.charCodeAt(i) - DIGIT_ZERO];
        if (outcome === undefined) throw new UnexpectedReplyError(script, reply);
        outcomes.push(outcome);
      }
      return { kind: 'done', next: Number(reply[1]), outcomes, isReadable: reply[3] === 1 };
    }
    case ReplyCode.behind:
      return { kind: 'behind', next: Number(reply[1]) };
    case ReplyCode.noBoard:
      return { kind: 'no-board' };
    case ReplyCode.otherDefinition:
      return { kind: 'other-definition' };
    default:
      throw new UnexpectedReplyError(script, reply);
  }
}

/** Reads `[DONE, epoch, seq, total, first index, [player, score, ...]]`. */
export function readEntriesReply(reply: readonly unknown[]): Reading<Entry> | null {
  if (reply[0] === ReplyCode.noBoard) return null;
  return { ...readHead(reply), rows: entriesOf(Number(reply[4]), reply[5] as readonly string[]) };
}

/** Reads `[DONE, epoch, seq, total, [first index, [id, score, ...], ...]]`, one pair per player asked for. */
export function readNeighboursReply(reply: readonly unknown[]): Reading<readonly Entry[]> | null {
  if (reply[0] === ReplyCode.noBoard) return null;
  const windows = reply[4] as readonly unknown[];
  const rows: Entry[][] = [];
  for (let i = 0; i + 1 < windows.length; i += 2) {
    rows.push(entriesOf(Number(windows[i]), windows[i + 1] as readonly string[]));
  }
  return { ...readHead(reply), rows };
}

function entriesOf(first: number, flat: readonly string[]): Entry[] {
  const rows: Entry[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    rows.push({ playerId: String(flat[i]), score: Number(flat[i + 1]), rank: first + i / 2 + 1 });
  }
  return rows;
}

/** Reads `[DONE, epoch, seq, total, [score, index, ...]]`, one pair per player asked for; without a score, whether he is hidden. */
export function readStandingsReply(reply: readonly unknown[], playerIds: readonly string[]): Reading<Standing> | null {
  if (reply[0] === ReplyCode.noBoard) return null;
  const flat = reply[4] as readonly (string | number | null)[];
  const rows = playerIds.map((playerId, i) => {
    const score = flat[2 * i] ?? null;
    const second = Number(flat[2 * i + 1]);
    if (score !== null) return { playerId, score: Number(score), rank: second + 1 };
    return { playerId, score: null, rank: null, ...(second === 1 && { isHidden: true as const }) };
  });
  return { ...readHead(reply), rows };
}

/** Reads `[DONE, [score, ...]]`, one for each row asked for. */
export function readScoresReply(reply: readonly unknown[]): readonly (number | null)[] | null {
  if (reply[0] === ReplyCode.noBoard) return null;
  return (reply[1] as readonly (string | null)[]).map((score) => (score === null ? null : Number(score)));
}

/** Reads `[DONE, next cursor, [list, total, ...]]`. */
export function readScanReply(reply: readonly unknown[]): ListScan | null {
  if (reply[0] === ReplyCode.noBoard) return null;
  const flat = reply[2] as readonly (string | number)[];
  const lists: { name: string; total: number }[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) lists.push({ name: String(flat[i]), total: Number(flat[i + 1]) });
  return { cursor: reply[1] === '0' ? null : String(reply[1]), lists };
}

/** Reads `[DONE, [source, partition, next, ...]]`. */
export function readBeginReply(reply: readonly unknown[]): FillBegun {
  if (reply[0] === ReplyCode.exists) return { kind: 'exists' };
  return { kind: 'begun', positions: readFlatPositions(reply[1] as readonly string[]) };
}

/** Whether the step was done: false where another fill took over. */
export function readFillReply(script: string, reply: readonly unknown[]): boolean {
  switch (reply[0]) {
    case ReplyCode.done:
      return true;
    case ReplyCode.superseded:
      return false;
    case ReplyCode.wrongChunk:
      throw new WrongChunkError(script, Number(reply[1]));
    case ReplyCode.wrongSum:
      throw new WrongSumError(script, reply[1], reply[2]);
    default:
      throw new UnexpectedReplyError(script, reply);
  }
}

/**
 * Reads `[DONE, [player, mark, ...]]`, a mark as JSON of `[mark id, lists, label, source, partition, next, ...]`. The version
 * before had no lists and no label there.
 */
export function readMarksReply(reply: readonly unknown[]): readonly Mark[] {
  if (reply[0] === ReplyCode.noBoard) return [];
  const flat = reply[1] as readonly string[];
  const marks: Mark[] = [];
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [markId, lists, ...rest] = JSON.parse(String(flat[i + 1])) as [string, object | string, ...string[]];
    const isOld = typeof lists === 'string';
    marks.push({
      playerId: String(flat[i]),
      markId,
      lists: isOld ? [] : Object.keys(lists),
      positions: readFlatPositions(isOld ? [lists, ...rest] : rest.slice(1)),
    });
  }
  return marks;
}

function readFlatPositions(flat: readonly string[]): Position[] {
  const positions: Position[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) {
    positions.push({ source: String(flat[i]), partition: Number(flat[i + 1]), next: Number(flat[i + 2]) });
  }
  return positions;
}

function readHead(reply: readonly unknown[]): { epoch: number; seq: number; total: number } {
  return { epoch: Number(reply[1]), seq: Number(reply[2]), total: Number(reply[3]) };
}
