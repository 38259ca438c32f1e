import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openYouPanel } from '../../../src/pages/spectator/you-panel.js';
import { type ScriptedNetwork, scriptedNetwork } from '../../client/support/scripted-socket.js';
import { subscribed, welcome } from '../../client/support/session.js';
import { type FakePage, fakePage } from './fake-page.js';

let network: ScriptedNetwork;
let page: FakePage;

beforeEach(async () => {
  vi.useFakeTimers();
  network = scriptedNetwork();
  page = fakePage(network.WebSocket);
  openYouPanel('ws://game.test', 'token', 'arena');
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function goLive(): void {
  network.socket.open();
  network.socket.deliver(welcome('42'));
}

/** The number of the newest SUBSCRIBE for friends. */
function friendsRequest(): unknown {
  return network.socket.sent.findLast(([type, , kind]) => type === 16 && kind === 4)?.[1];
}

function answerFriends(): void {
  network.socket.deliver(subscribed(friendsRequest(), 8, 0, 900, 10));
  network.socket.deliver([32, 8, 900, 10, 1, 0, [], 1_800_000_000_000]);
}

describe('the note of the side panel', () => {
  it('says that the friends cannot be read, until they can', async () => {
    goLive();
    network.socket.deliver([5, Number(friendsRequest()), 503, 'the board cannot be read now', 1_000]);
    expect(page.textOf('you-note')).toBe('the board cannot be read now');
    await vi.advanceTimersByTimeAsync(1_999);
    answerFriends();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.textOf('you-note')).toBe('');
  });

  it('keeps a refusal that came after the first picture', async () => {
    goLive();
    answerFriends();
    await vi.advanceTimersByTimeAsync(1_000);
    network.socket.deliver([19, 0, 8, 413, 'too many friends']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.textOf('you-note')).toBe('too many friends');
  });

  it('keeps saying that the link is no longer valid, also when the page is looked at again', async () => {
    goLive();
    answerFriends();
    await vi.advanceTimersByTimeAsync(1_000);
    for (let count = 0; count < 2; count += 1) {
      network.socket.lose(4401);
      await vi.advanceTimersByTimeAsync(1_000);
      if (count === 0) network.socket.open();
    }
    page.dispatch('visibilitychange');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.textOf('you-note')).toBe('This link is no longer valid. Ask for a new one.');
    expect(network.sockets).toHaveLength(2);
  });
});

describe('the connection of the side panel', () => {
  it.each(['online', 'visibilitychange'])('is asked for a sign of life at %s', async (event) => {
    goLive();
    await vi.advanceTimersByTimeAsync(3_000);
    page.dispatch(event);
    expect(network.socket.last(3)).toEqual([3, 1]);
  });
});
