import { describe, expect, it } from 'vitest';
import { readBoards } from '../../src/boards.js';
import { type BoardSeason, BoardSeasons } from '../../src/domain/board-season.js';
import type { Standing } from '../../src/domain/change.js';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import type { KeptResult } from '../../src/domain/kept-result.js';
import { type ListRef, SEASON_LIST } from '../../src/domain/lists.js';
import { packScore } from '../../src/domain/packed-score.js';
import { type Tag, tagName } from '../../src/domain/tag.js';
import type { ApiOptions } from '../../src/http/api-routes.js';
import { INGEST_TOKEN, parseBody, TestApi, tokens, unfilledBoard } from './call-api.js';

const seasons = new BoardSeasons(
  readBoards(`
modes:
  - { id: arena, points: { max: 10000 } }
  - { id: clan, points: { max: 10000 } }
  - { id: league, fields: { winRate: { max: 1000 }, deaths: { max: 500 } } }
boards:
  - { id: best, modes: [arena] }
  - { id: latest, modes: [arena], rule: latest }
  - { id: sum, modes: [arena], rule: sum, maxTotal: 1000000 }
  - { id: guilds, modes: [clan], subject: guild }
  - { id: guild-sum, modes: [clan], subject: guild, rule: sum, maxTotal: 1000000 }
  - { id: form, modes: [league], keys: [{ field: winRate }, { field: deaths, order: low }] }
calendar:
  seasons:
    - { id: '1', startsAt: 2026-09-01, endsAt: 2026-10-01 }
    - { id: '2', startsAt: 2026-10-01, endsAt: 2026-12-01 }
`),
);

const SOURCE = 'kafka:match-results';
const kept: KeptResult = {
  mode: 'arena',
  fields: { points: 1518 },
  scopes: { guild: '77' },
  achievedAt: Date.UTC(2026, 9, 12, 17, 59),
  brokerAt: Date.UTC(2026, 9, 12, 18),
  voidedAt: null,
  correctedAt: null,
  source: SOURCE,
  partition: 3,
  offset: 41,
};

/** What the rankings of all boards hold for player 42, and for guild 77. */
interface Held {
  /** The tag's `next` of the result's partition; `null`: no finished board. */
  readonly next?: number | null;
  readonly marked?: readonly string[];
  /** Whether what is shown gets what is submitted. Default true. */
  readonly isWritten?: boolean;
  /** The values and time of the present entry; `null`: none. */
  readonly entry?: Pick<KeptResult, 'fields' | 'achievedAt'> | null;
}

function apiOver(result: KeptResult | null, held: Held = {}, more: Partial<ApiOptions> = {}): TestApi {
  const { next = 42, marked = [], isWritten = true, entry = result } = held;
  const scoreIn = ({ tag, definitionHash, list }: ListRef, playerId: string): number | null => {
    const { board, layout, definition } = seasons.find(tag.boardId, tag.seasonId, 0) as BoardSeason;
    expect([definitionHash, list]).toEqual([definition.hash, SEASON_LIST]);
    if (entry === null || playerId !== (board.subject === 'guild' ? '77' : '42')) return null;
    return packScore(layout, entry.fields, entry.achievedAt);
  };
  const positions = [
    { source: 'postgres', partition: 3, next: 1_000 },
    { source: SOURCE, partition: 2, next: 1_000 },
    ...(next === null ? [] : [{ source: SOURCE, partition: 3, next }]),
  ];
  return new TestApi({
    seasons,
    results: { find: async (matchId, playerId) => (matchId === 'm-1' && playerId === '42' ? result : null) },
    progress: {
      state: async ({ boardId, seasonId }) => {
        const definitionHash = seasons.find(boardId, seasonId, 0)?.definition.hash ?? '';
        return next === null ? null : { positions, definitionHash, isWritten, writtenHash: definitionHash };
      },
      marks: async () => marked.map((playerId) => ({ playerId })),
    },
    reader: {
      ...unfilledBoard,
      readPlayers: async (list, ids) => {
        const rows = ids.map((playerId): Standing => ({ playerId, score: scoreIn(list, playerId), rank: null }));
        return { epoch: 1, seq: 1, total: 1, rows };
      },
    },
    ...more,
  });
}

async function statuses(api: TestApi): Promise<Record<string, string>> {
  const body = (await api.get('/v1/results/m-1/42', { token: INGEST_TOKEN })) as {
    readonly boards: readonly (Tag & { readonly status: string })[];
  };
  return Object.fromEntries(body.boards.map((one) => [tagName(one), one.status]));
}

function onAll(status: string): Record<string, string> {
  return { 'best:s2': status, 'latest:s2': status, 'sum:s2': status };
}

describe('a receipt', () => {
  it('shows the result, and each board that takes its mode in the season it was achieved in', async () => {
    const boards = ['best', 'latest', 'sum'].map((boardId) => ({ boardId, seasonId: '2', status: 'record' }));
    const response = await apiOver(kept).call('GET', '/v1/results/m-1/42', { token: INGEST_TOKEN });
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache' } });
    expect(parseBody(response)).toEqual({
      matchId: 'm-1',
      playerId: '42',
      mode: 'arena',
      points: 1518,
      achievedAt: kept.achievedAt,
      brokerAt: kept.brokerAt,
      voidedAt: null,
      correctedAt: null,
      boards,
    });
    const earlier = { ...kept, achievedAt: Date.UTC(2026, 8, 30) };
    expect(Object.keys(await statuses(apiOver(earlier)))).toEqual(['best:s1', 'latest:s1', 'sum:s1']);
  });

  it('is pending on a board that is shown but left behind', async () => {
    expect(await statuses(apiOver(kept, { isWritten: false }))).toEqual({
      'best:s2': 'pending',
      'latest:s2': 'pending',
      'sum:s2': 'pending',
    });
  });

  it('says when the result was corrected', async () => {
    const correctedAt = kept.brokerAt + 5_000;
    const api = apiOver({ ...kept, correctedAt });
    expect(await api.get('/v1/results/m-1/42', { token: INGEST_TOKEN })).toMatchObject({ correctedAt });
  });

  it('has an object of points where the mode has several fields', async () => {
    const fields = { winRate: 612, deaths: 9 };
    const api = apiOver({ ...kept, mode: 'league', fields });
    expect(await api.get('/v1/results/m-1/42', { token: INGEST_TOKEN })).toMatchObject({
      points: fields,
      boards: [{ boardId: 'form', status: 'record' }],
    });
  });

  it('has no boards where the boards file no longer knows the season or the mode', async () => {
    expect(await statuses(apiOver({ ...kept, achievedAt: Date.UTC(2027, 0) }))).toEqual({});
    expect(await statuses(apiOver({ ...kept, mode: 'duel' }))).toEqual({});
  });
});

describe('on a board a result', () => {
  it('is pending until the position of its own partition is above it', async () => {
    expect(await statuses(apiOver(kept, { next: 41 }))).toEqual(onAll('pending'));
    expect(await statuses(apiOver(kept, { next: 42 }))).toEqual(onAll('record'));
    expect(await statuses(apiOver({ ...kept, partition: 4, offset: 0 }))).toEqual(onAll('pending'));
  });

  it('is pending where there is no finished board, or no more', async () => {
    expect(await statuses(apiOver(kept, { next: null }))).toEqual(onAll('pending'));
    const lost = apiOver(kept, {}, { reader: unfilledBoard });
    expect(await statuses(lost)).toEqual(onAll('pending'));
  });

  it('is pending while the entry of its player, and of nobody else, is computed anew', async () => {
    expect(await statuses(apiOver(kept, { marked: ['41', '42'] }))).toEqual(onAll('pending'));
    expect(await statuses(apiOver(kept, { marked: ['41'] }))).toEqual(onAll('record'));
  });

  it('is no record where the entry is another result, but is counted in a total', async () => {
    const others = [
      { fields: { points: 1519 }, achievedAt: kept.achievedAt },
      { fields: kept.fields, achievedAt: kept.achievedAt - 60_000 },
    ];
    for (const entry of others) {
      expect(await statuses(apiOver(kept, { entry }))).toEqual({ ...onAll('no-record'), 'sum:s2': 'record' });
    }
  });

  it('is no record where its player has no entry, as one who is hidden', async () => {
    expect(await statuses(apiOver(kept, { entry: null }))).toEqual(onAll('no-record'));
  });

  it('is voided once it was taken back, whatever the board holds', async () => {
    const voidedAt = kept.brokerAt + 5_000;
    for (const held of [{}, { next: null }, { marked: ['42'] }]) {
      const api = apiOver({ ...kept, voidedAt }, held);
      expect(await statuses(api)).toEqual(onAll('voided'));
      expect(await api.get('/v1/results/m-1/42', { token: INGEST_TOKEN })).toMatchObject({ voidedAt });
    }
  });

  it('is no record where the keys or ranges of today leave it out', async () => {
    const entry = { fields: { points: 1 }, achievedAt: kept.achievedAt };
    const beyond = apiOver({ ...kept, fields: { points: 1_000_001 } }, { entry });
    expect(await statuses(beyond)).toEqual({ ...onAll('rejected'), 'sum:s2': 'record' });
    const without = apiOver({ ...kept, fields: { kills: 7 } }, { entry });
    expect(await statuses(without)).toEqual(onAll('rejected'));
  });
});

describe('on a board that ranks guilds a result', () => {
  const clan = { ...kept, mode: 'clan' };
  const onBoth = (status: string) => ({ 'guilds:s2': status, 'guild-sum:s2': status });

  it('is the record, or counted in the total, of the guild that it names', async () => {
    expect(await statuses(apiOver(clan))).toEqual(onBoth('record'));
    const entry = { fields: { points: 1519 }, achievedAt: kept.achievedAt };
    expect(await statuses(apiOver(clan, { entry }))).toEqual({ ...onBoth('record'), 'guilds:s2': 'no-record' });
  });

  it('is pending while the entry of that guild, and of nobody else, is computed anew', async () => {
    expect(await statuses(apiOver(clan, { marked: ['42'] }))).toEqual(onBoth('record'));
    expect(await statuses(apiOver(clan, { marked: ['77'] }))).toEqual(onBoth('pending'));
  });

  it.each([{}, { region: '77' }])('with the scopes %j is no record, once it was considered', async (scopes) => {
    expect(await statuses(apiOver({ ...clan, scopes }, { next: 41 }))).toEqual(onBoth('pending'));
    expect(await statuses(apiOver({ ...clan, scopes }))).toEqual(onBoth('no-record'));
  });
});

describe('the way to a receipt', () => {
  it('is open to game servers and to the player himself alone', async () => {
    const api = apiOver(kept);
    const statusFor = async (token?: string) =>
      (await api.call('GET', '/v1/results/m-1/42', token === undefined ? {} : { token })).status;
    expect(await statusFor(await tokens.sign('42', 60))).toBe(200);
    expect(await statusFor(await tokens.sign('43', 60))).toBe(403);
    expect(await statusFor('forged')).toBe(401);
    expect(await statusFor()).toBe(401);
  });

  it('ends in 404 where truth does not hold the result, which says what that can mean', async () => {
    const response = await apiOver(null).call('GET', '/v1/results/m-1/42', { token: INGEST_TOKEN });
    expect(response.status).toBe(404);
    expect(parseBody(response)).toMatchObject({ detail: expect.stringContaining('dead letters') });
  });

  it('takes encoded ids, decoded once, and refuses what can be no id', async () => {
    const asked: string[][] = [];
    const find = async (...ids: string[]) => {
      asked.push(ids);
      return kept;
    };
    const api = apiOver(kept, {}, { results: { find } });
    expect((await api.call('GET', '/v1/results/m%2F1%2525/%C3%A9%2042', { token: INGEST_TOKEN })).status).toBe(200);
    expect(asked).toEqual([['m/1%25', 'é 42']]);
    for (const path of ['%00/42', 'm-1/%00', `${'x'.repeat(65)}/42`, `m-1/${'x'.repeat(65)}`, '%E0%A4%A/42']) {
      expect((await api.call('GET', `/v1/results/${path}`, { token: INGEST_TOKEN })).status).toBe(400);
    }
    expect(asked).toHaveLength(1);
  });

  it('is 503 while a store does not answer', async () => {
    const down = () => Promise.reject(new StoreUnavailableError('away'));
    for (const more of [{ results: { find: down } }, { progress: { state: down, marks: down } }]) {
      const response = await apiOver(kept, {}, more).call('GET', '/v1/results/m-1/42', { token: INGEST_TOKEN });
      expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
  });
});
