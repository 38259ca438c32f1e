/** What the contract tests share: a fresh ranking per test, and boards of it. */

import { afterEach, beforeEach } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { Ranking } from '../../src/ranking/ranking.js';
import { type BegunLongAgo, TestBoard } from './test-board.js';

export * from './batches.js';
export { eventually, FeedRecorder } from './feed-recorder.js';
export * from './packing.js';
export { type BegunLongAgo, idsOf, present, TestBoard, type ToBegin } from './test-board.js';

export interface RankingUnderTest {
  /** By the real clock, with the default `dedupMs`. */
  readonly ranking: Ranking;
  readonly begunLongAgo: BegunLongAgo;
  close(): Promise<void>;
}

export type RankingFactory = () => Promise<RankingUnderTest>;

/** A ranking made by the factory before each test and closed after it, and boards of it. */
export function useRanking(factory: RankingFactory): {
  readonly ranking: () => Ranking;
  readonly boardOf: (definition: TagDefinition) => TestBoard;
} {
  let current: RankingUnderTest | undefined;
  beforeEach(async () => {
    current = await factory();
  });
  afterEach(async () => {
    await current?.close();
    current = undefined;
  });
  const underTest = () => {
    if (current === undefined) throw new Error('the ranking is there only inside a test');
    return current;
  };
  return {
    ranking: () => underTest().ranking,
    boardOf: (definition) => new TestBoard(underTest().ranking, definition, underTest().begunLongAgo),
  };
}
