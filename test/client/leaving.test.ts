/** Views that are closed while the server still answers for them. */

import { describe, expect, it } from 'vitest';
import { goLive, newSession, subscribed } from './support/session.js';

describe('A window that is left', () => {
  it('twice before its answers is given back once, and the second UNSUBSCRIBE is no error', async () => {
    const session = newSession();
    session.client.connect();
    await goLive(session);
    const { socket } = session.network;
    for (let count = 0; count < 2; count += 1) session.client.top('arena').close();
    const asked = socket.sent.filter(([type]) => type === 16);
    for (const [, reqId] of asked) socket.deliver(subscribed(reqId, 9, 0, 900, 10));
    const [first, second] = socket.sent.filter(([type]) => type === 18);
    expect([asked.length, first?.[2], second?.[2]]).toEqual([2, 9, 9]);
    socket.deliver([19, Number(first?.[1]), 9, 200, ''], [5, Number(second?.[1]), 404, 'no such topic', null]);
    expect(session.errors).toEqual([]);
  });
});
