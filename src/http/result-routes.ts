/** The way in for results over HTTP: judged here, durable in the log before the answer. */

import type { BoardSet } from '../domain/board.js';
import { judgeResult, type Rejection } from '../domain/result.js';
import type { Access } from './access.js';
import { parseJson } from './body.js';
import { jsonResponse, type Route } from './http.js';
import { Problem } from './problem.js';
import type { ResultAppender, ResultRecord } from './stores.js';

export const MAX_RESULTS = 1_000;
/** A record far below what a log takes: one large one must not fail the whole call. */
export const MAX_RECORD_BYTES = 65_536;

export interface ResultRoutesOptions {
  readonly boardSet: BoardSet;
  readonly access: Access;
  readonly appender: ResultAppender;
  /** The server's clock, epoch milliseconds. The log stamps again, and its stamp decides. */
  readonly now: () => number;
}

type IndexedRejection = Rejection & { readonly index: number };

/**
 * `POST /v1/results`: an array of results, or a single one. 202 once those accepted are durable, 422 where none was
 * acceptable, 503 where it cannot be made durable now: send the whole call again, repeats are harmless.
 */
export function resultRoutes(options: ResultRoutesOptions): readonly Route[] {
  const { boardSet, access, appender, now } = options;
  return [
    {
      method: 'POST',
      pattern: '/v1/results',
      handle: async (request) => {
        access.requireGameServer(request);
        const sent = readResults(await request.body());
        const { records, rejected } = sortOut(sent, now(), boardSet);
        if (records.length === 0 && rejected.length > 0) {
          const detail = 'none of the results is acceptable; rejected says why, one by one';
          throw new Problem('unprocessable', detail, { members: { rejected } });
        }
        if (records.length > 0) await appender.append(records);
        return jsonResponse(202, { accepted: records.length, rejected });
      },
    },
  ];
}

function readResults(body: Uint8Array): readonly unknown[] {
  const parsed = parseJson(body);
  const sent: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (sent.length <= MAX_RESULTS) return sent;
  throw new Problem('too-large', `a call has at most ${MAX_RESULTS} results, not ${sent.length}: send several calls`);
}

function sortOut(sent: readonly unknown[], at: number, boardSet: BoardSet) {
  const records: ResultRecord[] = [];
  const rejected: IndexedRejection[] = [];
  for (const [index, record] of sent.entries()) {
    const verdict = readRecord(record, at, boardSet);
    if ('key' in verdict) records.push(verdict);
    else rejected.push({ index, ...verdict });
  }
  return { records, rejected };
}

function readRecord(record: unknown, at: number, boardSet: BoardSet): ResultRecord | Rejection {
  try {
    const verdict = judgeResult(record, at, boardSet);
    if (!verdict.accepted) return verdict.rejection;
    const { matchId, playerId, mode } = verdict.result;
    // The mode is written down: a file that declares a second mode later must not make the record ambiguous.
    const value = Buffer.from(JSON.stringify({ ...(record as object), matchId, playerId, mode }));
    if (value.byteLength <= MAX_RECORD_BYTES) return { key: playerId, value };
    return { field: '', code: 'too_large', message: `a result has at most ${MAX_RECORD_BYTES} bytes` };
  } catch (error) {
    // What JSON.parse reads iteratively, JSON.stringify writes recursively: deep nesting ends its stack, not the call.
    if (!(error instanceof RangeError)) throw error;
    return { field: '', code: 'too_deep', message: 'the result is nested too deeply' };
  }
}
