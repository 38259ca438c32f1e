/** The dot that tells whether the board is live, and since when it is not. */

import type { Client, View, WindowState } from '../../client/index.js';
import { byId, setText } from './dom.js';
import { formatTime } from './format.js';
import { onWake } from './wake.js';

/** Shorter breaks heal by themselves before anybody needs to know. */
const QUIET_MS = 5_000;
/** Where trying again cannot help now, it may after somebody mended the server: a screen has nobody to press reload. */
const REVIVE_EVERY_MS = 30_000;

export function showLinkStatus(client: Client, top: View<WindowState<unknown>>): void {
  const link = byId('link', HTMLElement);
  const text = byId('link-text', HTMLElement);
  let staleSince: number | null = null;

  const update = (): void => {
    const { current } = top;
    const isLive = client.state === 'live' && current?.stale === false;
    staleSince = isLive ? null : (staleSince ?? Date.now());
    link.dataset['state'] = isLive ? 'live' : client.state === 'closed' ? 'closed' : 'connecting';
    setText(text, linkText(client, current !== null, staleSince));
  };

  client.on('state', update);
  top.subscribe(update);
  setInterval(update, 1_000);
  setInterval(() => {
    if (client.state === 'closed') client.connect();
  }, REVIVE_EVERY_MS);
  onWake(() => client.connect());
  update();
}

/** A snapshot that is asked for again is no break; the board was right until it went stale, so that is its time. */
function linkText(client: Client, hasRows: boolean, staleSince: number | null): string {
  if (!hasRows) return client.state === 'closed' ? 'Not connected' : 'Connecting';
  if (staleSince !== null && Date.now() - staleSince > QUIET_MS) return `As of ${formatTime(staleSince)}`;
  return client.state === 'live' ? 'Live' : 'Reconnecting';
}
