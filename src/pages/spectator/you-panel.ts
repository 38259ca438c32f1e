/** The side panel for the player whose token the address carries: own rank and friends, live. */

import { type Client, createClient } from '../../client/index.js';
import { byId, setText } from './dom.js';
import { formatCount, formatScore } from './format.js';
import { MovementBaseline } from './movement.js';
import { Redraw } from './redraw.js';
import { RowList } from './row-list.js';
import { onWake } from './wake.js';

const FRIEND_ROWS = 19;

export interface YouPanel {
  /** `null` until the server has said whose token it is. */
  readonly playerId: string | null;
  pause(isPaused: boolean): void;
}

/** Its own connection: a token that has run out must not take the board off the screen. */
export function openYouPanel(url: string, token: string, boardId: string): YouPanel {
  byId('you', HTMLElement).hidden = false;
  document.body.classList.add('with-you');
  const client = createClient({ url, getToken: () => token });
  const me = client.me(boardId);
  // All of them, with oneself: a limit below their number would be refused, not cut.
  const friends = client.friends(boardId);
  const movement = new MovementBaseline();
  const rows = new RowList(byId('friends', HTMLElement), {
    movementOf: (player) => movement.of(player),
    isOwn: (player) => player.playerId === client.playerId,
  });

  const redraw = new Redraw((isCalm) => {
    const entries = friends.current?.entries ?? [];
    movement.record(entries, friends.current?.epoch ?? 0, Date.now());
    rows.show(entries.slice(0, FRIEND_ROWS), isCalm);
    const own = entries.find((entry) => entry.playerId === client.playerId);
    setText(byId('you-name', HTMLElement), own?.name ?? client.playerId ?? 'You');
    if (me.current !== null) showStanding(me.current);
    // A refusal leaves the rows stale: fresh ones say that it is over. What `explainEnd` says stays.
    if (friends.current?.stale === false) setText(byId('you-note', HTMLElement), '');
  });
  me.subscribe(() => redraw.request());
  friends.subscribe(() => redraw.request());
  friends.on('error', (error) => setText(byId('you-note', HTMLElement), error.message));
  explainEnd(client);
  // Once the link is no longer valid, trying again cannot help.
  onWake(() => {
    if (client.state !== 'closed') client.connect();
  });
  return {
    get playerId() {
      return client.playerId;
    },
    pause: (isPaused) => redraw.pause(isPaused),
  };
}

function showStanding({ rank, score, total }: { rank: number | null; score: number | null; total: number }): void {
  setText(byId('you-rank', HTMLElement), rank === null ? '\u2013' : `#${formatCount(rank)}`);
  setText(byId('you-total', HTMLElement), `of ${formatCount(total)} players`);
  setText(byId('you-score', HTMLElement), score === null ? 'no result yet' : `${formatScore(score)} points`);
}

function explainEnd(client: Client): void {
  const note = byId('you-note', HTMLElement);
  client.on('state', (state, { code }) => {
    if (state !== 'closed') setText(note, '');
    else if (code === 4401) setText(note, 'This link is no longer valid. Ask for a new one.');
    else setText(note, 'Not connected. Reload the page to try again.');
  });
}
