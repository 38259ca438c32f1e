/** Contract tests of hidden players whose results have copies: they are judged while he is hidden, too. */

import { expect, it } from 'vitest';
import {
  definitionOf,
  lateIdentity,
  newIdentity,
  pack,
  type RankingFactory,
  seasonFold,
  type TestBoard,
  useRanking,
} from './ranking-fixture.js';

const SUM = definitionOf('sum');

export function describeHiddenCopies(factory: RankingFactory): void {
  const { ranking, boardOf } = useRanking(factory);

  async function hiddenBoard(): Promise<TestBoard> {
    const board = boardOf(SUM);
    await board.fill();
    await board.submit(['amy', pack(10, 5)]);
    await board.order('hide', 'amy');
    return board;
  }

  it('remembers a result that came while its player was hidden: its copies are duplicates, then and later', async () => {
    const board = await hiddenBoard();
    const match = newIdentity();
    expect(await board.submit(['amy', pack(3, 6), match])).toMatchObject({ outcomes: ['hidden'] });
    expect(await board.submit(['amy', pack(3, 6), match])).toMatchObject({ outcomes: ['duplicate'] });
    await board.order('unhide', 'amy');
    expect(await board.submit(['amy', pack(3, 6), match])).toMatchObject({ outcomes: ['duplicate'] });
    expect(
      await ranking().settle(board.tag, board.definition.hash, await board.markOf('amy'), seasonFold(pack(13, 6))),
    ).toBe('settled');
    expect(await board.submit(['amy', pack(3, 6), match])).toMatchObject({ outcomes: ['duplicate'] });
    expect(await board.scores()).toEqual({ amy: pack(13, 6) });
  });

  it('knows copies of what came before he was hidden', async () => {
    const board = boardOf(SUM);
    await board.fill();
    const match = newIdentity();
    await board.submit(['amy', pack(10, 5), match]);
    await board.order('hide', 'amy');
    expect(await board.submit(['amy', pack(10, 5), match])).toMatchObject({ outcomes: ['duplicate'] });
  });

  it('marks a hidden player by a late result as any other, and shows him by it no more than before', async () => {
    const board = await hiddenBoard();
    await ranking().settle(board.tag, board.definition.hash, await board.markOf('amy'), seasonFold(pack(10, 5)));
    expect(await board.submit(['amy', pack(3, 1), lateIdentity()])).toMatchObject({ outcomes: ['late'] });
    expect(
      await ranking().settle(board.tag, board.definition.hash, await board.markOf('amy'), seasonFold(pack(13, 5))),
    ).toBe('settled');
    expect(await board.rows()).toEqual([]);
  });
}
