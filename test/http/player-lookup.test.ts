import { describe, expect, it } from 'vitest';
import { boardOf, parseBody, TestApi } from './call-api.js';

const api = new TestApi({ reader: boardOf({ a: 3, '😀': 2, '{a}': 1 }) });
const url = '/v1/boards/arena/players:lookup';

async function lookUp(body: unknown): Promise<Record<string, unknown>> {
  const response = await api.call('POST', url, { body: typeof body === 'string' ? body : JSON.stringify(body) });
  return { status: response.status, ...(parseBody(response) as object) };
}

describe('looking players up', () => {
  it('answers each once in the order sent, also those without a row, whatever their ids hold', async () => {
    const answer = await lookUp({ playerIds: ['{a}', 'nobody', 'a', '{a}', '😀', '\u200fa'] });
    expect(answer).toMatchObject({ status: 200, board: 'arena', total: 3 });
    const rows = answer['entries'] as { rank: number | null; playerId: string }[];
    expect(rows.map(({ rank, playerId }) => [rank, playerId])).toEqual([
      [3, '{a}'],
      [null, 'nobody'],
      [1, 'a'],
      [2, '😀'],
      [null, '\u200fa'],
    ]);
  });

  it('takes a thousand and refuses one more', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `p${index}`);
    expect(await lookUp({ playerIds: ids.slice(1) })).toMatchObject({ status: 200 });
    expect(await lookUp({ playerIds: ids })).toMatchObject({ status: 413, detail: expect.stringContaining('1001') });
  });

  it.each([
    ['{', 400, 'JSON'],
    [{}, 400, 'playerIds'],
    [{ playerIds: [] }, 400, 'at least one'],
    [{ playerIds: 'a' }, 400, 'playerIds'],
    [{ playerIds: ['a', 7] }, 400, 'playerIds[1]'],
    [{ playerIds: ['a', 'b', 'x'.repeat(65)] }, 400, 'playerIds[2]'],
    [['a'], 400, 'playerIds'],
  ])('refuses %j with %i', async (body, status, detail) => {
    expect(await lookUp(body)).toMatchObject({ status, detail: expect.stringContaining(detail) });
  });
});
