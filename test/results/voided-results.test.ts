import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { VoidedResults } from '../../src/results/voided-results.js';

const DAY_MS = 86_400_000;
const AMY = { matchId: 'm-1', playerId: 'amy' };

describe('voided results', () => {
  it('are known from the log, each player of a match apart', () => {
    const voided = new VoidedResults({ voidedSince: async () => [] }, 7 * DAY_MS);
    voided.add(AMY);
    expect(voided.has(AMY)).toBe(true);
    expect(voided.has({ ...AMY, playerId: 'bob' })).toBe(false);
    expect(voided.has({ ...AMY, matchId: 'm-2' })).toBe(false);
  });

  it('are known from truth, for as long as a copy of them would be taken', async () => {
    const asked: number[] = [];
    const voidedSince = async (since: number) => {
      asked.push(since);
      return [AMY];
    };
    const voided = new VoidedResults({ voidedSince }, 7 * DAY_MS);
    voided.load(100 * DAY_MS);
    await vi.waitFor(() => expect(voided.has(AMY)).toBe(true));
    expect(asked[0]).toBeLessThan(93 * DAY_MS);
    expect(asked[0]).toBeGreaterThan(92 * DAY_MS);
  });

  it('do not wait for truth that is away', async () => {
    const gone = Promise.reject(new StoreUnavailableError('away'));
    const voided = new VoidedResults({ voidedSince: () => gone }, DAY_MS);
    voided.load(0);
    await gone.catch(() => undefined);
    expect(voided.has(AMY)).toBe(false);
    voided.add(AMY);
    expect(voided.has(AMY)).toBe(true);
  });
});
