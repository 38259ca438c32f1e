/** Contract tests of the table in domain/tag-standing.ts, row by row: what the state says, and what a submit answers. */

import { expect, it } from 'vitest';
import { standingOf, type TagStanding } from '../../src/domain/tag-standing.js';
import {
  batchOf,
  DEFINITION,
  OTHER_DEFINITION,
  type RankingFactory,
  SEASON,
  seasonFold,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

type Step = (board: TestBoard) => Promise<unknown>;

const [H, X] = [DEFINITION, OTHER_DEFINITION];
const begin = (definition: typeof H, jobId: string): Step => {
  return (board) => board.begin({ jobId, replace: true }, definition);
};
const finish = (jobId: string): Step => {
  return (board) => board.finish(jobId, 0);
};
const abandon = (jobId: string): Step => {
  return (board) => board.ranking.abandon(board.tag, jobId);
};
const show = (definition: typeof H): readonly Step[] => [begin(definition, 'first'), finish('first')];

interface Row {
  readonly is: string;
  readonly steps: readonly Step[];
  readonly standing: TagStanding;
  /** `null`: nothing is shown. */
  readonly state: {
    readonly definitionHash: string;
    readonly isWritten: boolean;
    readonly writtenHash: string | null;
  } | null;
  /** To a server of H. */
  readonly answer: object;
}

const taken = (isReadable: boolean) => ({ kind: 'done', isReadable });
const refused = { kind: 'other-definition' };
const stale = (shown: typeof H, written: typeof H | null) => ({
  definitionHash: shown.hash,
  isWritten: false,
  writtenHash: written?.hash ?? null,
});
const written = (shown: typeof H) => ({ definitionHash: shown.hash, isWritten: true, writtenHash: shown.hash });

const ROWS: readonly Row[] = [
  { is: 'nothing', steps: [], standing: 'missing', state: null, answer: { kind: 'no-board' } },
  {
    is: 'nothing, and a fill under H is under way',
    steps: [begin(H, 'fill')],
    ...{ standing: 'missing', state: null, answer: taken(false) },
  },
  {
    is: 'nothing, and a fill under X is under way',
    steps: [begin(X, 'fill')],
    ...{ standing: 'missing', state: null, answer: refused },
  },
  {
    is: 'nothing, and a fill under H was given up',
    steps: [begin(H, 'fill'), abandon('fill')],
    ...{ standing: 'missing', state: null, answer: { kind: 'no-board' } },
  },
  { is: 'H', steps: show(H), standing: 'current', state: written(H), answer: taken(true) },
  {
    is: 'H, and a fill under H is under way',
    steps: [...show(H), begin(H, 'fill')],
    ...{ standing: 'current', state: written(H), answer: taken(true) },
  },
  {
    is: 'H, and a fill under H was given up',
    steps: [...show(H), begin(H, 'fill'), abandon('fill')],
    ...{ standing: 'current', state: written(H), answer: taken(true) },
  },
  {
    is: 'H, stale, and a fill under H is under way',
    steps: [...show(H), begin(X, 'away'), begin(H, 'back')],
    ...{ standing: 'left-behind', state: stale(H, H), answer: taken(false) },
  },
  {
    is: 'X, stale, and a fill under H is under way',
    steps: [...show(X), begin(H, 'fill')],
    ...{ standing: 'left-behind', state: stale(X, H), answer: taken(false) },
  },
  {
    is: 'H, stale, and a fill under X is under way',
    steps: [...show(H), begin(X, 'fill')],
    ...{ standing: 'other-definition', state: stale(H, X), answer: refused },
  },
  { is: 'X', steps: show(X), standing: 'other-definition', state: written(X), answer: refused },
  {
    is: 'X, stale, and a fill under X is under way',
    steps: [...show(X), begin(H, 'away'), begin(X, 'back')],
    ...{ standing: 'other-definition', state: stale(X, X), answer: refused },
  },
  {
    is: 'H, stale, and a fill under X was given up',
    steps: [...show(H), begin(X, 'fill'), abandon('fill')],
    ...{ standing: 'other-definition', state: stale(H, null), answer: refused },
  },
  {
    is: 'X, stale, and a fill under H was given up',
    steps: [...show(X), begin(H, 'fill'), abandon('fill')],
    ...{ standing: 'other-definition', state: stale(X, null), answer: refused },
  },
];

export function describeStandings(factory: RankingFactory): void {
  const { ranking, boardOf } = useRanking(factory);

  async function made(steps: readonly Step[]): Promise<TestBoard> {
    const board = boardOf(H);
    for (const step of steps) await step(board);
    return board;
  }

  it.each(ROWS)('what is shown is $is: $standing', async ({ steps, standing, state, answer }) => {
    const board = await made(steps);
    const found = await ranking().state(board.tag);
    if (state === null) expect(found).toBeNull();
    else expect(found).toMatchObject(state);
    expect(standingOf(H.hash, found)).toBe(standing);
    expect(await ranking().submit(board.tag, H.hash, batchOf(0, ['amy', 1]))).toMatchObject(answer);
  });

  it.each([
    ['a fill under it is under way', [...show(H), begin(X, 'fill')]],
    ['it is shown', show(X)],
  ])('is not settled under a definition other than that of its mark: %s', async (_, steps) => {
    const board = await made(steps);
    await ranking().mark(board.tag, X.hash, [{ playerId: 'amy', lists: [SEASON] }]);
    const mark = await board.markOf('amy');
    const folded = seasonFold(9);
    expect(await ranking().settle(board.tag, H.hash, mark, folded)).toBe('superseded');
    expect(await board.markOf('amy')).toEqual(mark);
    expect(await ranking().settle(board.tag, X.hash, mark, folded)).toBe('settled');
  });
}
