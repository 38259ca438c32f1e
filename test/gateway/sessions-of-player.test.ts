import { describe, expect, it } from 'vitest';
import { ANONYMOUS, playerPrincipal } from '../../src/gateway/player-authenticator.js';
import type { Principal } from '../../src/gateway/principal.js';
import { SessionsOfPlayer } from '../../src/gateway/sessions-of-player.js';

const ada = playerPrincipal('ada', null);
const overlay: Principal = { ...ANONYMOUS, kind: 'key', keyId: 'ada' };

function setUp(max: number) {
  const sessions = new SessionsOfPlayer(max);
  const replaced: string[] = [];
  return {
    replaced,
    open: (principal: Principal, name: string) => {
      const session = { replaced: () => replaced.push(name) };
      sessions.admit(principal, session);
      return () => sessions.leave(principal, session);
    },
  };
}

describe('SessionsOfPlayer', () => {
  it('ends the oldest of a player when one more comes, and each only once', () => {
    const { open, replaced } = setUp(2);
    for (const name of ['first', 'second', 'third', 'fourth']) open(ada, name);
    expect(replaced).toEqual(['first', 'second']);
  });

  it('counts no session that has left, though it left twice', () => {
    const { open, replaced } = setUp(2);
    const leave = open(ada, 'first');
    open(ada, 'second');
    leave();
    leave();
    open(ada, 'third');
    expect(replaced).toEqual([]);
    open(ada, 'fourth');
    expect(replaced).toEqual(['second']);
  });

  it('does not forget those who stay when one that was replaced leaves', () => {
    const { open, replaced } = setUp(1);
    const leaveFirst = open(ada, 'first');
    open(ada, 'second');
    leaveFirst();
    open(ada, 'third');
    expect(replaced).toEqual(['first', 'second']);
  });

  it('counts players and overlay keys apart, and nobody not at all', () => {
    const { open, replaced } = setUp(1);
    open(ada, 'player');
    for (let screen = 1; screen <= 10; screen += 1) open(overlay, `screen ${screen}`);
    open(playerPrincipal('bo', null), 'another player');
    for (const name of ['x', 'y', 'z']) open(ANONYMOUS, name);
    expect(replaced).toEqual([]);
    open({ ...overlay, playerId: 'ada' }, 'the overlay again');
    expect(replaced).toEqual(['screen 1']);
  });

  it('lets an overlay key, which is on every screen of a venue, have ten times as many as a player', () => {
    const { open, replaced } = setUp(10);
    for (let screen = 1; screen <= 100; screen += 1) open(overlay, `screen ${screen}`);
    expect(replaced).toEqual([]);
    open(overlay, 'one too many');
    expect(replaced).toEqual(['screen 1']);
  });
});
