/** The contract of src/ranking/ranking.ts as tests, the same for every engine. */

import { describe } from 'vitest';
import { describeAskedMarks } from './asked-marks-contract.js';
import { describeDedup } from './dedup-contract.js';
import { describeFeed } from './feed-contract.js';
import { describeFills } from './fill-contract.js';
import { describeHides } from './hide-contract.js';
import { describeHiddenCopies } from './hide-copies-contract.js';
import { describeHidesInFills } from './hide-fill-contract.js';
import { describeListEnds } from './list-end-contract.js';
import { describeLists } from './lists-contract.js';
import { describeListHistories } from './lists-property-contract.js';
import { describeMarkCalls } from './mark-calls-contract.js';
import { describeMarkLists } from './mark-lists-contract.js';
import { describeMarks } from './marks-contract.js';
import { describeMarksInFills } from './marks-fill-contract.js';
import { describeMerges } from './merge-contract.js';
import { describePages } from './paging-contract.js';
import { describeProperties } from './property-contract.js';
import { DEFINITIONS, type RankingFactory, SUMS } from './ranking-fixture.js';
import { describeReads } from './reads-contract.js';
import { describeRebuilds } from './rebuild-contract.js';
import { describeRebuildDefinitions } from './rebuild-definition-contract.js';
import { describeRebuildMarks } from './rebuild-marks-contract.js';
import { describeRecomputes } from './recompute-property-contract.js';
import { describeStandings } from './standing-contract.js';
import { describeSubmits } from './submit-contract.js';
import { describeTagReads } from './tag-reads-contract.js';

export type { RankingFactory } from './ranking-fixture.js';

/** The factory is called once per test; each test uses tags of its own, so it may hand out the same server. */
export function describeRankingContract(name: string, factory: RankingFactory): void {
  describe(`ranking contract: ${name}`, () => {
    describe('reads', () => describeReads(factory));
    describe('reads over all lists', () => describeTagReads(factory));
    describe('feed', () => describeFeed(factory));
    describe('merge', () => describeMerges(factory));
    describe('copies', () => describeDedup(factory));
    describe('copies of hidden players', () => describeHiddenCopies(factory));
    describe('the end of a list', () => describeListEnds(factory));
    describe('how a tag stands', () => describeStandings(factory));
    describe('marks by a call', () => describeMarkCalls(factory));
    describe.each([
      ['best', 'latest'],
      ['latest', 'sum'],
      ['sum', 'sum'],
    ] as const)('a fill that replaces the rule %s by %s', (oldRule, newRule) => {
      describeRebuildDefinitions(factory, oldRule, newRule);
    });
    describe.each(DEFINITIONS)('by the rule %s', (_rule, definition) => {
      describe('submit', () => describeSubmits(factory, definition));
      describe('fill', () => describeFills(factory, definition));
      describe('asked marks', () => describeAskedMarks(factory, definition));
      describe('lists', () => describeLists(factory, definition));
      describe('marks over lists', () => describeMarkLists(factory, definition));
      describe('hidden players', () => describeHides(factory, definition));
      describe('hidden players while a fill is under way', () => describeHidesInFills(factory, definition));
      describe('a fill that replaces a board', () => describeRebuilds(factory, definition));
      describe('marks while a board is replaced', () => describeRebuildMarks(factory, definition));
      describe('lists against truth', () => describeListHistories(factory, definition));
      describe('pages', () => describePages(factory, definition));
      describe('against a brute-force ranking', () => describeProperties(factory, definition));
    });
    describe.each(SUMS)('by the rule %s', (_rule, definition) => {
      describe('marks', () => describeMarks(factory, definition));
      describe('marks while a fill is under way', () => describeMarksInFills(factory, definition));
      describe('against truth', () => describeRecomputes(factory, definition));
    });
  });
}
