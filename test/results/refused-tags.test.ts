import { beforeEach, expect, it } from 'vitest';
import type { BoardSeason } from '../../src/domain/board-season.js';
import { RefusedTags } from '../../src/results/refused-tags.js';
import { boardSeasonOf } from '../support/definitions.js';

const tags = ['a', 'b', 'c', 'd'].map((boardId) => boardSeasonOf({ boardId }));
const [A, B] = tags as [BoardSeason, BoardSeason];

let lines: string[];
let refused: RefusedTags;
beforeEach(() => {
  lines = [];
  const write = (level: string) => (details: object, text: string) => {
    lines.push(`${level} ${JSON.stringify(details)} ${text}`);
  };
  refused = new RefusedTags({ error: write('error'), info: write('info') } as never);
});

it('tells each refusal once, and its end', () => {
  for (const at of [0, 1_000, 2_000]) refused.refuse(A, 'run this', at);
  refused.refuse(A, 'run that', 3_000);
  for (const _ of [1, 2]) refused.accept(A);
  expect(lines).toEqual([
    `error {"tag":"${A.name}"} run this`,
    `error {"tag":"${A.name}"} run that`,
    `info {"tag":"${A.name}"} the board takes results again`,
  ]);
});

it('lets one ask a second, whatever the clock does, and everybody where nothing is refused', () => {
  refused.refuse(A, 'run this', 10_000);
  const turns = [10_999, 11_000, 11_001, 12_000, 5_000, 5_001].map((now) => refused.takeTurn(A, now));
  expect(turns).toEqual([false, true, false, true, true, false]);
  expect([10_000, 10_000].map((now) => refused.takeTurn(B, now))).toEqual([true, true]);
});

it('describes those of some tags, as many as a person reads', () => {
  expect(refused.describe(tags)).toBeUndefined();
  refused.refuse(B, 'fill b', 0);
  expect(refused.describe([A])).toBeUndefined();
  expect(refused.describe(tags)).toBe('fill b');
  for (const tag of tags) refused.refuse(tag, `fill ${tag.tag.boardId}`, 0);
  expect(refused.describe(tags)).toBe('fill a; fill b; and 2 more boards, which the log names');
});
