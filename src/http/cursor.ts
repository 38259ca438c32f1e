/**
 * Cursors: where a reader of a list stopped, as text that means nothing to him. The place is the order key of his last row, not
 * its rank: rows that come, go or climb above it move nothing, so each row that stays on its side of it is read exactly once.
 */

import { z } from 'zod';
import type { Entry } from '../domain/change.js';
import type { OrderKey } from '../domain/order-key.js';
import { badRequest, Problem } from './problem.js';
import type { Query } from './query.js';
import { findTarget, type Target, type Targets } from './targets.js';

/** Board, season, period and scope, the hash of the definition that made the score, packed score, player id. */
const CONTENT = z.tuple([
  z.string(),
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.string(),
  z.int().nonnegative(),
  z.string(),
]);

/** A page goes on below `key`. */
export interface Place {
  readonly target: Target;
  readonly key: OrderKey;
}

export function writeCursor({ list, period, scope }: Target, { score, playerId }: Entry): string {
  const { boardId, seasonId } = list.tag;
  const content: z.infer<typeof CONTENT> = [boardId, seasonId, period, scope, list.definitionHash, score, playerId];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/**
 * The list is that of the cursor: `period=d` beside it goes on in yesterday's after midnight. Throws a `Problem`: 400 for what
 * is no cursor of the board, or beside another list; 409 where the board's definition changed, so that its scores mean
 * something else; what `findTarget` throws where the list is gone.
 */
export function readCursor(targets: Targets, boardId: string, query: Query, text: string): Place {
  const [ofBoard, season, period, scope, definitionHash, score, playerId] = parse(text);
  if (ofBoard !== boardId) throw wrongCursor(`is of board ${JSON.stringify(ofBoard.slice(0, 64))}`);
  const named = new Map(
    Object.entries({ season, period, scope }).filter((pair): pair is [string, string] => pair[1] !== null),
  );
  refuseOther(query, named);
  const target = findTarget(targets, boardId, named);
  if (target.list.definitionHash === definitionHash) return { target, key: { score, playerId } };
  const first = `/v1/boards/${encodeURIComponent(boardId)}/entries?${new URLSearchParams([...named])}`;
  const detail = 'the board was defined anew since this cursor was made: read on from its first page';
  throw new Problem('conflict', detail, { members: { reason: 'stale_cursor', first } });
}

function parse(text: string): z.infer<typeof CONTENT> {
  try {
    return CONTENT.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw wrongCursor('is none: send nextCursor as it came');
  }
}

/** What stands beside a cursor may say the same, or nothing. */
function refuseOther(query: Query, named: Query): void {
  if (query.has('from')) throw badRequest('from and cursor are two beginnings of one page: send one of them');
  for (const name of ['season', 'period', 'scope']) {
    const asked = query.get(name);
    const own = named.get(name);
    if (asked === undefined || asked === own || (name === 'period' && asked === own?.charAt(0))) continue;
    throw wrongCursor(`is of another list: its ${name} is ${own ?? 'not given'}`);
  }
}

function wrongCursor(what: string): Problem {
  return badRequest(`the cursor ${what}`);
}
