/** Receipts: what became of a result, worked out when it is asked from what truth and the rankings hold by then. */

import { type BoardSeason, listRef } from '../domain/board-season.js';
import { isValidId } from '../domain/ids.js';
import type { KeptResult } from '../domain/kept-result.js';
import type { Position } from '../domain/log-record.js';
import { packScore } from '../domain/packed-score.js';
import { seasonAt } from '../domain/season.js';
import { standingOf } from '../domain/tag-standing.js';
import type { Access } from './access.js';
import { jsonResponse, PRIVATE, type Route } from './http.js';
import { badRequest, Problem } from './problem.js';
import { checkPlayerId } from './query.js';
import type { ProgressReader, ResultFinder, WindowReader } from './stores.js';
import type { Targets } from './targets.js';

export interface ReceiptRoutesOptions {
  readonly targets: Targets;
  readonly results: ResultFinder;
  readonly progress: ProgressReader;
  readonly reader: Pick<WindowReader, 'readPlayers'>;
  readonly access: Access;
}

/**
 * What a result is on one board:
 *
 * | status | means |
 * | --- | --- |
 * | pending | the board has not considered it yet, is being filled, or computes the entry anew |
 * | record | it is the entry (of its guild, where the board ranks guilds); where the rule is `sum`, it is in the total |
 * | no-record | it was considered, and is not the entry; or the player is hidden; or it names nobody whom the board ranks |
 * | voided | it was taken back |
 * | rejected | the board cannot rank it: a value that its keys need is missing or beyond their range, which changed since |
 */
export type ReceiptStatus = 'pending' | 'record' | 'no-record' | 'voided' | 'rejected';

/**
 * `GET /v1/results/{matchId}/{playerId}`, for game servers and the player himself: the result as truth holds it, and its
 * status on each board that takes its mode, in the season it was achieved in. A status says what is so now: a record ends
 * with the player's next one. 404 where truth does not hold it: never sent, on its way, or refused, which the dead letters
 * know. 503 while a store does not answer.
 */
export function receiptRoutes(options: ReceiptRoutesOptions): readonly Route[] {
  const { results, access } = options;
  return [
    {
      method: 'GET',
      pattern: '/v1/results/:matchId/:playerId',
      handle: async (request) => {
        const matchId = checkMatchId(request.params[0] ?? '');
        const playerId = checkPlayerId(request.params[1] ?? '');
        await access.requirePlayerOrGameServer(request, playerId);
        const kept = await results.find(matchId, playerId);
        if (kept === null) throw notKnown();
        const { mode, fields, achievedAt, brokerAt, voidedAt, correctedAt } = kept;
        const boards = await readBoards(options, kept, playerId);
        const points = pointsOf(fields);
        const times = { achievedAt, brokerAt, voidedAt, correctedAt };
        return jsonResponse(200, { matchId, playerId, mode, points, ...times, boards }, PRIVATE);
      },
    },
  ];
}

function notKnown(): Problem {
  const why = 'it was never sent, is on its way, or was refused (see the dead letters)';
  return new Problem('not-found', `this match has no result of this player that is known (yet): ${why}`);
}

/** As a result is sent: a number where there is nothing but points. */
function pointsOf(fields: KeptResult['fields']): number | KeptResult['fields'] {
  const { points, ...others } = fields;
  return points === undefined || Object.keys(others).length > 0 ? fields : points;
}

async function readBoards(options: ReceiptRoutesOptions, kept: KeptResult, playerId: string) {
  const { seasons } = options.targets;
  // The calendar may have changed since the result was judged.
  const season = seasonAt(seasons.boardSet.calendar, kept.achievedAt);
  const taking = seasons.all.filter((one) => one.season === season && one.board.modes.includes(kept.mode));
  return Promise.all(
    taking.map(async (one) => ({ ...one.tag, status: await readStatus(options, one, kept, playerId) })),
  );
}

/**
 * Position, mark, entry, in this order: a call that moves the position past a result has merged it or set the mark, and
 * whatever takes the mark away has written the entry.
 */
async function readStatus(
  { progress, reader }: ReceiptRoutesOptions,
  boardSeason: BoardSeason,
  kept: KeptResult,
  playerId: string,
): Promise<ReceiptStatus> {
  const { board, tag, layout, lists, definition } = boardSeason;
  if (kept.voidedAt !== null) return 'voided';
  const state = await progress.state(tag);
  if (standingOf(definition.hash, state) !== 'current' || !isPassed(state?.positions ?? [], kept)) return 'pending';
  const subject = lists.subjectOf(playerId, kept);
  if (subject === undefined) return 'no-record';
  // More marks than one read answers may hide his: then the entry as it stands is the best that can be said.
  const marks = await progress.marks(tag);
  if (marks.some((mark) => mark.playerId === subject)) return 'pending';
  if (!isRanked(boardSeason, kept)) return 'rejected';
  const reading = await reader.readPlayers(listRef(boardSeason), [subject]);
  // The board was lost since, or is of another definition.
  if (reading === null) return 'pending';
  const score = reading.rows[0]?.score ?? null;
  if (score !== null && board.rule === 'sum') return 'record';
  return score === packScore(layout, kept.fields, kept.achievedAt) ? 'record' : 'no-record';
}

function isPassed(positions: readonly Position[], { source, partition, offset }: KeptResult): boolean {
  return positions.some((one) => one.source === source && one.partition === partition && one.next > offset);
}

/** As truth's fold has it: ranges and keys may have changed since the result was judged, and then a board leaves it out. */
function isRanked({ board, layout }: BoardSeason, { fields }: KeptResult): boolean {
  return layout.keys.every(({ field, max }) => {
    const value = fields[field];
    return value !== undefined && (board.rule === 'sum' || value <= max);
  });
}

function checkMatchId(id: string): string {
  if (isValidId(id)) return id;
  throw badRequest('a match id is 1 to 64 bytes of UTF-8 without control characters');
}
