/** A second server that goes before it has sent everything, the first being gone already. */

import { describe, expect, it } from 'vitest';
import { answerTop, goLive, namesOf, newSession, subscribed, topSnapshot } from './support/session.js';

const SUBSCRIBE = 16;

/** The first is lost, the second has answered without a snapshot yet and goes as well, the third is welcomed. */
async function onThird() {
  const session = newSession();
  const top = session.client.top('arena');
  const next = async () => {
    const { socket } = session.network;
    socket.deliver([6, 1, 0, 10_000, null]);
    return socket;
  };
  await goLive(session);
  answerTop(session);
  const first = await next();
  await session.clock.advance(0);
  await goLive(session);
  const second = session.network.socket;
  second.deliver(subscribed(second.last(SUBSCRIBE)[1], 2, 0, 901, 11));
  first.lose(4503);
  await next();
  await session.clock.advance(500);
  await goLive(session);
  const third = session.network.socket;
  expect([session.network.sockets.length, namesOf(top.current)]).toEqual([3, ['ada', 'bo', 'cy']]);
  const answerThird = () => {
    third.deliver(subscribed(third.last(SUBSCRIBE)[1], 3, 0, 902, 12), topSnapshot(3, 902, 12, [[1, 5, 'new']]));
  };
  return { session, top, second, third, answerThird };
}

describe('GOAWAY of two servers, one after the other', () => {
  it('ends on the newest, and nothing of the one before is shown after that', async () => {
    const { top, second, answerThird } = await onThird();
    answerThird();
    expect(top.current).toMatchObject({ epoch: 902, stale: false });
    expect(second.closedWith).toBe(1000);
    second.deliver(topSnapshot(2, 901, 11, [[1, 5, 'old']]));
    expect(namesOf(top.current)).toEqual(['new']);
  });

  it('shows what the one before has whole first, until the newest has it', async () => {
    const { top, second, answerThird } = await onThird();
    second.deliver(topSnapshot(2, 901, 11, [[1, 5, 'old']]));
    expect(top.current).toMatchObject({ epoch: 901, stale: false });
    answerThird();
    expect(namesOf(top.current)).toEqual(['new']);
    expect(second.closedWith).toBe(1000);
  });

  it('goes on with the one before where the newest is lost', async () => {
    const { session, top, second, third } = await onThird();
    third.lose(1006);
    second.deliver(topSnapshot(2, 901, 11, [[1, 5, 'old']]));
    expect(top.current).toMatchObject({ epoch: 901, stale: false });
    second.deliver([33, 2, 12, 1, [1], [[0, 7, 6, null, 'eve', null]], null, 1, 1]);
    expect(namesOf(top.current)).toEqual(['eve']);
    expect(session.client.state).toBe('live');
  });
});
