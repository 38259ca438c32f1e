/**
 * The live page: the first hundred of a board. With `#key=` in the address it shows itself with an overlay key, with
 * `#token=` it has the reader's own place beside.
 */

import { type BoardSummary, createClient, type RankedEntry, type View, type WindowState } from '../../client/index.js';
import { chooseBoard } from './board-choice.js';
import { readCredentials } from './credentials.js';
import { byId, setText } from './dom.js';
import { formatCount, formatDay, formatScore, formatTime } from './format.js';
import { showLinkStatus } from './link-status.js';
import { MovementBaseline } from './movement.js';
import { Redraw } from './redraw.js';
import { RowList } from './row-list.js';
import { openYouPanel, type YouPanel } from './you-panel.js';

const ROWS = 100;
/** How often a screen reader may be told something. */
const SUMMARY_EVERY_MS = 15_000;

/** The server that served this page, wherever a proxy put it. */
const home = new URL('.', document.baseURI).href;

async function start(): Promise<void> {
  const boardId = await chooseBoard(home);
  const { key, token } = readCredentials(location.hash);
  const client = createClient({ url: home, getToken: () => key });
  const top = client.top(boardId, { limit: ROWS });
  const you = token === null ? null : openYouPanel(home, token, boardId);
  const redraw = followBoard(top, you);
  showLinkStatus(client, top);
  top.on('error', (error) => setText(byId('board-note', HTMLElement), error.message));
  offerPause((isPaused) => {
    redraw.pause(isPaused);
    you?.pause(isPaused);
  });
  addEventListener('hashchange', () => location.reload());
}

function followBoard(top: View<WindowState<RankedEntry>>, you: YouPanel | null): Redraw {
  const movement = new MovementBaseline();
  const rows = new RowList(byId('board', HTMLElement), {
    movementOf: (player) => movement.of(player),
    isOwn: (player) => you !== null && player.playerId === you.playerId,
  });
  let summarizedAt = Number.NEGATIVE_INFINITY;
  const redraw = new Redraw((isCalm) => {
    const { current, board } = top;
    if (current === null) return;
    movement.record(current.entries, current.epoch, Date.now());
    rows.show(current.entries, isCalm);
    if (board !== null) describe(board);
    setText(byId('total', HTMLElement), `${formatCount(current.total)} ${current.total === 1 ? 'player' : 'players'}`);
    setText(byId('updated', HTMLElement), current.at > 0 ? `Last change ${formatTime(current.at)}` : '');
    setText(byId('board-note', HTMLElement), current.entries.length === 0 ? 'No results yet' : '');
    const leader = current.entries[0];
    if (leader === undefined || performance.now() - summarizedAt < SUMMARY_EVERY_MS) return;
    summarizedAt = performance.now();
    const score = formatScore(leader.score);
    setText(byId('summary', HTMLElement), `${leader.name ?? leader.playerId} leads with ${score} points`);
  });
  top.subscribe(() => redraw.request());
  return redraw;
}

function describe({ title, seasonId, endsAt }: BoardSummary): void {
  setText(byId('title', HTMLElement), title);
  const until = endsAt === null ? '' : `, until ${formatDay(endsAt)}`;
  setText(byId('season', HTMLElement), `Season ${seasonId}${until}`);
  const pageTitle = `${title}: live top ${ROWS}`;
  if (document.title !== pageTitle) document.title = pageTitle;
}

function offerPause(pause: (isPaused: boolean) => void): void {
  const button = byId('pause', HTMLButtonElement);
  let isPaused = false;
  const toggle = (): void => {
    isPaused = !isPaused;
    button.setAttribute('aria-pressed', String(isPaused));
    setText(button, isPaused ? 'Go on' : 'Pause');
    document.body.classList.toggle('paused', isPaused);
    pause(isPaused);
  };
  button.addEventListener('click', toggle);
  document.addEventListener('keydown', (event) => {
    // On the button itself the browser turns Space into a click.
    if (event.code !== 'Space' || event.target === button) return;
    event.preventDefault();
    toggle();
  });
}

start().catch((error: unknown) => setText(byId('board-note', HTMLElement), String(error)));
