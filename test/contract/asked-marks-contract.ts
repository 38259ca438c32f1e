/** Contract tests of marks that a record asks for: an order `recompute`, by whatever rule. */

import { expect, it } from 'vitest';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { PlayerOrder, SubmitResult } from '../../src/ranking/ranking.js';
import { SEASON_LISTS } from '../support/definitions.js';
import {
  AT,
  batchOf,
  pack,
  present,
  type RankingFactory,
  SOURCE,
  seasonFold,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

export function describeAskedMarks(factory: RankingFactory, definition: TagDefinition): void {
  const { ranking, boardOf } = useRanking(factory);
  const score = (points: number, second: number) => pack(points, second, definition.merge);

  /** Amy has 10 points, Bob 20; positions stand at 2. */
  async function board(): Promise<TestBoard> {
    const made = boardOf(definition);
    await made.fill();
    await made.submit(['amy', score(10, 5)], ['bob', score(20, 5)]);
    return made;
  }

  const ask = (playerId: string, offset: number): PlayerOrder => ({
    order: 'recompute',
    playerId,
    lists: SEASON_LISTS,
    offset,
    at: AT,
  });
  const batch = (from: number, to: number, ...results: SubmitResult[]) => ({
    source: SOURCE,
    partition: 0,
    from,
    to,
    results,
  });

  it('marks the player with the positions behind the record, merges nothing and tells nothing', async () => {
    const made = await board();
    const seq = await made.seq();
    const reply = await made.submitBatch(batch(2, 5, ask('amy', 3)));
    expect(reply).toEqual({ kind: 'done', next: 5, outcomes: ['marked'], isReadable: true });
    expect(await made.scores()).toEqual({ amy: score(10, 5), bob: score(20, 5) });
    expect(await made.seq()).toBe(seq);
    const marks = await ranking().marks(made.tag);
    expect(marks).toMatchObject([{ playerId: 'amy', positions: [{ source: SOURCE, partition: 0, next: 5 }] }]);
  });

  it('marks a player who has no row as well, once in a call, and not again when the record is read again', async () => {
    const made = await board();
    const asked = batch(2, 4, ask('nobody', 2), ask('nobody', 3));
    expect(await made.submitBatch(asked)).toMatchObject({ outcomes: ['marked', 'marked'] });
    const [mark] = await ranking().marks(made.tag);
    expect(await made.submitBatch(asked)).toMatchObject({ outcomes: ['skipped', 'skipped'] });
    expect(await ranking().marks(made.tag)).toEqual([mark]);
  });

  it('merges the results beside it as ever, and those of later calls aside as well', async () => {
    const made = await board();
    const [later] = batchOf(3, ['amy', score(12, 7)]).results;
    if (later === undefined) throw new Error('one result was made');
    expect(await made.submitBatch(batch(2, 4, ask('amy', 2), later))).toMatchObject({
      outcomes: ['marked', 'applied'],
    });
    const [last] = batchOf(4, ['amy', score(15, 9)]).results;
    if (last === undefined) throw new Error('one result was made');
    await made.submitBatch(batch(4, 5, last));
    const [mark] = await ranking().marks(made.tag);
    // Truth has nothing of him below the mark: what came after it is all he has.
    expect(await ranking().settle(made.tag, made.definition.hash, present(mark), seasonFold(null))).toBe('settled');
    expect(await made.scores()).toEqual({ amy: score(15, 9), bob: score(20, 5) });
  });

  it('takes back what truth did not take', async () => {
    const made = await board();
    await made.submitBatch(batchOf(2, ['amy', score(90, 9)]));
    await made.submitBatch(batch(3, 4, ask('amy', 3)));
    const [mark] = await ranking().marks(made.tag);
    expect(await ranking().settle(made.tag, made.definition.hash, present(mark), seasonFold(score(10, 5)))).toBe(
      'settled',
    );
    expect(await made.scores()).toEqual({ amy: score(10, 5), bob: score(20, 5) });
  });
}
