import { expect, it } from 'vitest';
import { SentResults } from '../../loadtest/lib/sent-results.js';

it('gives back what was added, request by request, as often as it is read', () => {
  const sent = new SentResults();
  const results = Array.from({ length: 5 }, (_, index) => {
    return { matchId: `m"${index}`, playerId: `ü\t${index}`, points: index, achievedAt: 1_700_000_000_000 + index };
  });
  sent.add(results.slice(0, 2));
  sent.add([]);
  sent.add(results.slice(2));
  expect(sent.length).toBe(5);
  expect([...sent]).toEqual(results);
  expect([...sent]).toEqual(results);
});
