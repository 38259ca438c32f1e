/** `npm run demo`: the server, a simulated game, and two links to look at it. */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type App, startApp } from '../app.js';
import { defaultBoard } from '../boards.js';
import type { Config } from '../config.js';
import { MatchSimulator } from './match-simulator.js';
import { playerNames } from './player-names.js';

const PLAYERS = 500;
const MATCHES_PER_SEC = 40;
const FRIENDS = 40;
/** Whom the second link shows: somebody in the middle, whom others pass. */
const SHOWN_PLAYER = 120;
const TOKEN_LIFETIME_SEC = 24 * 3_600;

/** Starts the demo and prints where it can be seen; the answered app stops all of it. */
export async function startDemo(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<App> {
  const secret = config.tokens.secret ?? randomBytes(32).toString('hex');
  const demo = { ...config, tokens: { ...config.tokens, secret }, drainMs: 0 };
  const app = await startApp({ config: demo, logger, signal });
  try {
    await play(app, logger, signal);
    const player = shownPlayer();
    const url = `http://${config.listen.host}:${app.port}/`;
    print(`Rankcast demo: ${PLAYERS} players, ${MATCHES_PER_SEC} matches a second.`);
    print(`  Top 100, live:      ${url}`);
    print(`  As ${player}: ${url}#token=${await app.tokens.sign(player, TOKEN_LIFETIME_SEC)}`);
    print('Ctrl-C stops it; the boards are kept and there again at the next start.');
    return app;
  } catch (error) {
    await app.stop();
    throw error;
  }
}

/** Makes friends for the shown player and starts the matches, which end with the signal. */
async function play(app: App, logger: Logger, signal: AbortSignal): Promise<void> {
  const players = playerNames(PLAYERS);
  await makeFriends(app, shownPlayer(), players);
  const [modeName] = defaultBoard(app.boardSet).modes;
  const mode = app.boardSet.modes.find((candidate) => candidate.mode === modeName);
  if (mode === undefined) throw new Error('the boards file is checked for it: the modes of a board are declared');
  const simulator = new MatchSimulator({
    append: (records) => app.log.append(records),
    players,
    mode,
    rate: MATCHES_PER_SEC,
    onError: (error) => logger.warn({ err: error }, 'demo.match_not_stored'),
  });
  signal.addEventListener('abort', () => simulator.stop());
  simulator.start();
}

function shownPlayer(): string {
  return playerNames(PLAYERS)[SHOWN_PLAYER] ?? 'nobody';
}

async function makeFriends(app: App, player: string, players: readonly string[]): Promise<void> {
  const step = Math.floor(players.length / FRIENDS);
  for (let i = 0; i < FRIENDS; i++) {
    const friend = players[i * step + 1];
    if (friend !== undefined && friend !== player) await app.friends?.add(player, friend);
  }
}
