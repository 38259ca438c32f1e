import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PendingPlayers } from '../../src/gateway/pending-players.js';
import { TrackedPlayer } from '../../src/views/tracked-player.js';

const PLAYERS = Array.from({ length: 100 }, (_, index) => new TrackedPlayer(`p${index}`, index, null));

it('keeps each player once, in the order they came, few or many, and again after it was emptied', () => {
  const added = fc.array(fc.constantFrom(...PLAYERS), { maxLength: 200 });
  fc.assert(
    fc.property(fc.array(added, { minLength: 1, maxLength: 4 }), (rounds) => {
      const pending = new PendingPlayers();
      for (const players of rounds) {
        for (const player of players) pending.add(player);
        expect([...pending.list()]).toEqual([...new Set(players)]);
        pending.clear();
        expect(pending.list()).toEqual([]);
      }
    }),
  );
});
