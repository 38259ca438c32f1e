/**
 * Results, copies, conflicts, voids, corrections and hides of a player in every order of arrival, with truth ahead of the
 * ranking and behind: in the end every list holds what truth kept, on a board of players and on one of guilds.
 */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Board } from '../../src/domain/board.js';
import { type BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import { PLAYER_SUBJECT } from '../../src/domain/lists.js';
import { packScore } from '../../src/domain/packed-score.js';
import { mergeScores, type Rule } from '../../src/domain/rules.js';
import { ARENA_BOARD } from '../support/definitions.js';
import { createTruthDatabase, type TruthDatabase } from '../truth/truth-database.js';
import { Installation } from './installation.js';
import { boardSet } from './log-fixture.js';
import { everSent, isHidden, keptOf, recordOf, STORIES_IN_EVERY_ORDER } from './player-stories.js';

const AT = Date.now();

/** One at a time: a record that heals the one would hide that the other is not healed. */
const BOARDS: Readonly<Record<'players' | 'guilds', Partial<Board>>> = {
  players: { scopes: ['guild'] },
  guilds: { subject: 'guild' },
};

function seasonsOf(board: Partial<Board>, rule: Rule): BoardSeasons {
  const maxTotal = rule === 'sum' ? 2_097_151 : null;
  return new BoardSeasons({ ...boardSet, boards: [{ ...ARENA_BOARD, rule, maxTotal, periods: ['day'], ...board }] });
}

/** Records of a player side by side, or as far apart as can be: each in a batch of its own. */
function recordsOf(layout: 'together' | 'apart'): Buffer[] {
  const stories = STORIES_IN_EVERY_ORDER.map((story) => story.records.map((kind) => recordOf(kind, story, AT)));
  if (layout === 'together') return stories.flat();
  const longest = Math.max(...stories.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    stories.flatMap((story) => story.slice(round, round + 1)),
  ).flat();
}

/** Brute force: by list, the packed score of each subject; empty for lists where nothing of what was sent is left. */
function expectedOn({ board, definition, layout, lists }: BoardSeason): Map<string, Map<string, number>> {
  const expected = new Map<string, Map<string, number>>();
  for (const story of STORIES_IN_EVERY_ORDER) {
    for (const sent of everSent(story, AT)) for (const { name } of lists.listsOf(sent)) expected.set(name, new Map());
  }
  for (const story of STORIES_IN_EVERY_ORDER) {
    if (board.subject === PLAYER_SUBJECT && isHidden(story)) continue;
    for (const kept of keptOf(story, AT)) {
      const subject = lists.subjectOf(story.playerId, kept) ?? '';
      const score = packScore(layout, { points: kept.points }, kept.achievedAt);
      for (const { name } of lists.listsOf(kept)) {
        const rows = expected.get(name);
        rows?.set(subject, mergeScores(definition.merge, rows.get(subject) ?? null, score));
      }
    }
  }
  return expected;
}

/** In an order of its own: what is compared is who stands where with what. */
const sorted = (scores: ReadonlyMap<string, number>) => [...scores].sort();

let database: TruthDatabase;
beforeEach(async () => {
  database = await createTruthDatabase();
});
afterEach(() => database.drop());

describe.each(['best', 'latest', 'sum'] as const)('by rule %s', (rule) => {
  describe.each(['players', 'guilds'] as const)('a board of %s', (subjects) => {
    it.each([
      ['truth first', 'together'],
      ['ranking first', 'apart'],
      ['in step', 'apart'],
    ] as const)('holds what truth kept, %s, with the records of a player %s', async (pace, layout) => {
      const installation = new Installation(database, seasonsOf(BOARDS[subjects], rule), AT);
      installation.append(recordsOf(layout));
      await installation.bring(pace);
      expect(await installation.marked()).toEqual([]);
      for (const board of installation.seasons.all) {
        for (const [list, rows] of expectedOn(board)) {
          expect([list, ...sorted(await installation.scores(board, list))]).toEqual([list, ...sorted(rows)]);
        }
      }
      await installation.close();
    });
  });
});
