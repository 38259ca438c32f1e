/** A control record as orders to a tag: whom it is to compute anew there, to hide or to show. */

import type { BoardSeason } from '../domain/board-season.js';
import type { ControlRecord } from '../domain/control-record.js';
import { type ListedResult, PLAYER_SUBJECT, type TagList } from '../domain/lists.js';
import type { LogRecord } from '../domain/log-record.js';
import type { PlayerOrder } from '../domain/submit.js';

/**
 * Boards that rank players mark the player on each open tag: nobody knows which of them a void or a correction is about, and
 * truth names the lists. Boards that rank scopes cannot know whom it concerns, but truth does, and writes a `recompute`.
 * `now`: epoch milliseconds, decides which lists a player is taken out of at once.
 */
export function ordersFor(
  tag: BoardSeason,
  control: ControlRecord,
  { offset, brokerAt }: LogRecord,
  now: number,
): readonly PlayerOrder[] {
  const asked = { offset, at: brokerAt };
  const ofPlayer = (order: PlayerOrder['order'], lists: readonly TagList[]): readonly PlayerOrder[] =>
    tag.board.subject === PLAYER_SUBJECT ? [{ order, playerId: control.playerId, lists, ...asked }] : [];
  switch (control.kind) {
    case 'void':
    case 'correct':
      return ofPlayer('correct', []);
    case 'hide':
      return ofPlayer('hide', tag.lists.unscopedLists(now));
    case 'unhide':
      return ofPlayer('unhide', []);
    case 'recompute': {
      const copies = copiesIn(tag, control.copies);
      if (tag.board.subject === PLAYER_SUBJECT) return ofPlayer('recompute', listsOfAll(tag, copies));
      return [...bySubject(tag, control.playerId, copies)].map(([playerId, those]) => ({
        order: 'recompute',
        playerId,
        lists: listsOfAll(tag, those),
        ...asked,
      }));
    }
  }
}

function copiesIn({ season }: BoardSeason, copies: readonly ListedResult[]): readonly ListedResult[] {
  return copies.filter(({ achievedAt }) => season.startsAt <= achievedAt && achievedAt < season.endsAt);
}

function bySubject({ lists }: BoardSeason, playerId: string, copies: readonly ListedResult[]) {
  const subjects = new Map<string, ListedResult[]>();
  for (const copy of copies) {
    const subject = lists.subjectOf(playerId, copy);
    if (subject !== undefined) subjects.set(subject, [...(subjects.get(subject) ?? []), copy]);
  }
  return subjects;
}

/** Each list once. */
function listsOfAll({ lists }: BoardSeason, copies: readonly ListedResult[]): readonly TagList[] {
  const all = copies.flatMap((copy) => lists.listsOf(copy));
  return [...new Map(all.map((list) => [list.name, list])).values()];
}
