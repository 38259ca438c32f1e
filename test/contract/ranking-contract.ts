/** The contract of src/ranking/ranking.ts as tests, the same for every engine. */

import { describe } from 'vitest';
import { describeAskedMarks } from './asked-marks-contract.js';
import { describeDedup } from './dedup-contract.js';
import { describeFeed } from './feed-contract.js';
import { describeFills } from './fill-contract.js';
import { describeMarks } from './marks-contract.js';
import { describeMarksInFills } from './marks-fill-contract.js';
import { describeMerges } from './merge-contract.js';
import { describeProperties } from './property-contract.js';
import { DEFINITIONS, type RankingFactory, SUMS } from './ranking-fixture.js';
import { describeReads } from './reads-contract.js';
import { describeRecomputes } from './recompute-property-contract.js';
import { describeSubmits } from './submit-contract.js';

export type { RankingFactory } from './ranking-fixture.js';

/** The factory is called once per test; each test uses tags of its own, so it may hand out the same server. */
export function describeRankingContract(name: string, factory: RankingFactory): void {
  describe(`ranking contract: ${name}`, () => {
    describe('reads', () => describeReads(factory));
    describe('feed', () => describeFeed(factory));
    describe('merge', () => describeMerges(factory));
    describe('copies', () => describeDedup(factory));
    describe.each(DEFINITIONS)('by the rule %s', (_rule, definition) => {
      describe('submit', () => describeSubmits(factory, definition));
      describe('fill', () => describeFills(factory, definition));
      describe('asked marks', () => describeAskedMarks(factory, definition));
      describe('against a brute-force ranking', () => describeProperties(factory, definition));
    });
    describe.each(SUMS)('by the rule %s', (_rule, definition) => {
      describe('marks', () => describeMarks(factory, definition));
      describe('marks while a fill is under way', () => describeMarksInFills(factory, definition));
      describe('against truth', () => describeRecomputes(factory, definition));
    });
  });
}
