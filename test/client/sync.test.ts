import { describe, expect, it } from 'vitest';
import { windowCheck } from '../../proto/check.js';
import { answerTop, goLive, newSession, rankFrame, subscribed } from './support/session.js';

const RESYNC = 20;

describe('SYNC', () => {
  it('counts gaps and checksums apart, and asks once for each', async () => {
    const session = newSession();
    session.client.top('arena');
    await goLive(session);
    answerTop(session);
    const { socket } = session.network;
    const right = windowCheck([{ ref: 1, score: 300 }, { ref: 2, score: 200 }, { ref: 3, score: 100 }]); // biome-ignore format: one line
    socket.deliver([37, 7, 900, 10, right], [37, 7, 900, 10, null]);
    expect(session.client.resyncs).toEqual({ gaps: 0, checksums: 0 });
    socket.deliver([37, 7, 900, 10, right + 1], [37, 7, 900, 10, right + 1]);
    expect(socket.sent.filter(([type]) => type === RESYNC)).toEqual([[RESYNC, 7, 900, 10, 2]]);
    answerTop(session);
    socket.deliver([37, 7, 900, 11, null]);
    expect(session.client.resyncs).toEqual({ gaps: 1, checksums: 1 });
  });

  it('sums friends in the order shown, with their ranks', async () => {
    const session = newSession({ getToken: () => 'token' });
    session.client.friends('arena');
    await goLive(session, '42');
    const { socket } = session.network;
    socket.deliver(subscribed(socket.last(16)[1], 8, 0, 900, 10));
    socket.deliver([
      32,
      8,
      900,
      10,
      1,
      500,
      [
        [6, null, null, null, null, null, '5', null],
        [5, 70, 9, null, 7_000, 1, '42', 'Me'],
      ],
      1,
    ]);
    const rows = [
      { ref: 5, score: 70, rank: 9 },
      { ref: 6, score: null, rank: null },
    ];
    socket.deliver([37, 8, 900, 10, windowCheck(rows)]);
    expect(socket.countOf(RESYNC)).toBe(0);
    socket.deliver([37, 8, 900, 10, windowCheck(rows.toReversed())]);
    expect(socket.countOf(RESYNC)).toBe(1);
  });

  it('takes a lower RANK as the answer, for what was there was wrong', async () => {
    const session = newSession({ getToken: () => 'token' });
    const me = session.client.me('arena');
    await goLive(session, '42');
    const { socket } = session.network;
    socket.deliver(subscribed(socket.last(16)[1], 9, 0, 900, 10), rankFrame(9, 900, 10, 3));
    socket.deliver([37, 9, 900, 8, null]);
    expect(socket.last(RESYNC)).toEqual([RESYNC, 9, 900, 10, 1]);
    socket.deliver(rankFrame(9, 900, 8, 5));
    expect(me.current).toMatchObject({ rank: 5, seq: 8, stale: false });
  });
});
