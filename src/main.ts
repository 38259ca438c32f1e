#!/usr/bin/env -S node --min-semi-space-size=32 --max-semi-space-size=32
/**
 * The process: subcommands, signals and exit codes.
 *
 * The flags above give short-lived objects room, some 90 MB of them a second: with Node's default of 16 MB they are
 * scavenged twice as often, and enough of them outlive it to bring on a full collection every four seconds. The p99 of
 * result to push is a third lower with them (loadtest/results). package.json, the Dockerfile and the load test say the same.
 */

import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { runDetach } from './app/detach-command.js';
import { DLQ_USAGE, readDlqArguments } from './app/dlq-arguments.js';
import { runDlq } from './app/dlq-command.js';
import { runRebuild } from './app/rebuild-command.js';
import { runReconcile } from './app/reconcile-command.js';
import { Supervisor } from './app/supervisor.js';
import { readVerifyArguments, VERIFY_USAGE } from './app/verify-arguments.js';
import { runVerify } from './app/verify-command.js';
import { abortOnOrder, sayFailed, sayReady } from './app/worker-link.js';
import { WORKER_COMMAND } from './app/worker-process.js';
import { type App, startApp } from './app.js';
import { loadBoards } from './boards.js';
import { maskConfig } from './config/mask-config.js';
import { type Config, type LogLevel, readConfig } from './config.js';
import { startDemo } from './demo/demo.js';
import { RankcastError, UsageError } from './domain/errors.js';
import { createLogger } from './ops/logger.js';
import { PlayerTokens } from './ops/player-tokens.js';
import { readVersion } from './version.js';

const USAGE = `rankcast ${readVersion()}

  rankcast serve                        the server, configured by RANKCAST_ variables (see README.md)
  rankcast demo                         the same with a simulated game; needs no configuration
  rankcast config                       checks the configuration and the boards file and prints it, secrets masked
  rankcast rebuild --board <id>         fills a board anew from the database while servers run; --board all: each one in
           [--season <id>] [--raw]      turn. Default: the current season. The same configuration as the servers'.
                                        --raw: from all results one by one instead of the checkpoint
  rankcast reconcile --board <id>       compares a board with the database row by row and repairs it; as rebuild, but what
           [--season <id>]              is right stays as it is. Exit code 0: all is right at the end
  rankcast detach --before <date>       takes the results of days before the date out of the table, which boards need no more
           [--dry-run]                  because their checkpoints have them; the days' tables stay
  rankcast dlq list|replay              shows dead letters, and sends their records to the log again (dlq --help)
  rankcast verify --url <http://...>    plays on a running server and compares every client with a ranking of its own
           [--clients n] [--minutes m]  (verify --help)
  rankcast token <playerId> [--hours n] a player token signed with RANKCAST_TOKEN_SECRET, for tries (default 24 h)
`;

const OPTIONS = {
  hours: { type: 'string', default: '24' },
  board: { type: 'string' },
  season: { type: 'string' },
  raw: { type: 'boolean', default: false },
  before: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Ends at once what would outlive this process. */
let onSecondSignal = (): void => {};

/** A stop that hangs must not hold the process for ever; the drain comes before it. */
const STOP_DEADLINE_MS = 30_000;

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === 'dlq') return await dlq(args.slice(1));
  if (args[0] === 'verify') return await verify(args.slice(1));
  const { values, positionals } = readArguments(args);
  const [command = 'help', subject, ...others] = positionals;
  const stray = command === 'token' ? others[0] : subject;
  if (stray !== undefined) throw new UsageError(`${command} takes no "${stray}"`);
  switch (values.help ? 'help' : command) {
    case 'serve': {
      const config = readConfig(process.env);
      return await serve(config, config.workers > 1 ? startWorkers : startServer);
    }
    case WORKER_COMMAND:
      return await serve(readConfig(process.env), startWorker);
    case 'demo':
      return await serve(readConfig(process.env, { isDemo: true }), startDemoServer);
    case 'config':
      return printConfig(readConfig(process.env));
    case 'rebuild':
      return await onBoards(runRebuild, readConfig(process.env), values);
    case 'reconcile':
      return await onBoards(runReconcile, readConfig(process.env), values);
    case 'detach':
      return await detach(readConfig(process.env), values.before, values['dry-run']);
    case 'token':
      return await printToken(subject, Number(values.hours));
    case 'help':
      return print(USAGE);
    default:
      throw new UsageError(`"${command}" is not a command\n\n${USAGE}`);
  }
}

/** Throws `UsageError` with the sentence of Node's own error. */
function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** The boards file is a part of it: a wrong one stops the start as well. */
function printConfig(config: Config): void {
  const { boards } = loadBoards(config.boardsFile);
  print(JSON.stringify({ ...maskConfig(config), boards: boards.map(({ boardId }) => boardId) }, null, 2));
}

type Start = (config: Config, controller: AbortController) => Promise<Pick<App, 'stop'>>;

const startServer: Start = async (config, { signal }) => {
  return await startApp({ config, logger: serverLogger(config), signal });
};

/** As several processes; a SIGHUP replaces them one after the other. */
const startWorkers: Start = async (config, { signal }) => {
  const program = fileURLToPath(import.meta.url);
  let isRestartWanted = false;
  let onHangup = (): void => {
    isRestartWanted = true;
  };
  // From the beginning: without a listener it would end the process, workers and all.
  process.on('SIGHUP', () => onHangup());
  const supervisor = await Supervisor.start({
    config,
    logger: serverLogger(config),
    program,
    env: process.env,
    signal,
  });
  onHangup = () => supervisor.restart();
  if (isRestartWanted) supervisor.restart();
  onSecondSignal = () => supervisor.kill();
  return supervisor;
};

/** One of them. What a terminal sends to all of its processes is for the supervisor to answer. */
const startWorker: Start = async (config, controller) => {
  process.on('SIGHUP', () => {});
  abortOnOrder(controller);
  const app = await startApp({ config, logger: serverLogger(config), signal: controller.signal, isWorker: true });
  await sayReady(app);
  return app;
};

function serverLogger(config: Config): Logger {
  const logger = createLogger({ level: config.logLevel });
  logger.info({ config: maskConfig(config) }, 'server.starting');
  return logger;
}

const startDemoServer: Start = async (config, { signal }) => {
  return await startDemo(config, createLogger({ level: chosenLogLevel(config) }), signal, print);
};

/** The demo and the commands speak to a person; the log lines of a server would bury what they say. */
function chosenLogLevel({ logLevel }: Config): LogLevel {
  return process.env['RANKCAST_LOG_LEVEL'] === undefined ? 'warn' : logLevel;
}

/**
 * Runs until a signal, also one that comes during the start, then stops in order; a second signal ends the process at
 * once. The exit is forced: an open keep-alive connection must not hold a stopped server.
 */
async function serve(config: Config, start: Start): Promise<never> {
  const controller = abortOnSignal();
  const { signal } = controller;
  const app = await start(config, controller).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    print('stopped during the start');
    process.exit(0);
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  print('stopping');
  setTimeout(() => process.exit(1), config.drainMs + STOP_DEADLINE_MS);
  const failed = await app.stop();
  print(failed.length === 0 ? 'stopped' : `stopped, but not cleanly: ${failed.join(', ')}`);
  process.exit(failed.length === 0 ? 0 : 1);
}

function abortOnSignal(): AbortController {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      onSecondSignal();
      process.exit(1);
    }
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller;
}

/** Standard output is for the lines that scripts read; what a person reads meanwhile goes to standard error. */
async function onBoards(
  run: typeof runRebuild | typeof runReconcile,
  config: Config,
  asked: { readonly board?: string; readonly season?: string; readonly raw: boolean },
): Promise<never> {
  const logger = createLogger({ level: chosenLogLevel(config), destination: process.stderr });
  const { board, season, raw: isRaw } = asked;
  // Beside servers, whose results come first, also on the processors.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const code = await run({
    ...{ config, logger, board, season, isRaw, print },
    signal: abortOnSignal().signal,
    progress: process.stderr,
  });
  process.exit(code);
}

async function detach(config: Config, before: string | undefined, isDry: boolean): Promise<void> {
  const logger = createLogger({ level: chosenLogLevel(config), destination: process.stderr });
  await runDetach({ config, logger, before, isDry, print });
}

async function dlq(args: readonly string[]): Promise<void> {
  const order = readDlqArguments(args);
  if (order === null) return print(DLQ_USAGE);
  const config = readConfig(process.env);
  const logger = createLogger({ level: chosenLogLevel(config), destination: process.stderr });
  // A reader that has seen enough, such as head, is no failure.
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  await runDlq({ config, logger, order, print, progress: (line) => process.stderr.write(`${line}\n`) });
}

async function verify(args: readonly string[]): Promise<void> {
  const order = readVerifyArguments(args);
  if (order === null) return print(VERIFY_USAGE);
  const code = await runVerify({
    ...{ order, env: process.env, program: fileURLToPath(import.meta.url), print },
    signal: abortOnSignal().signal,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  process.exit(code);
}

async function printToken(playerId: string | undefined, hours: number): Promise<void> {
  const secret = process.env['RANKCAST_TOKEN_SECRET'];
  if (playerId === undefined || secret === undefined || !(hours > 0)) {
    throw new UsageError('token needs a player id, RANKCAST_TOKEN_SECRET, and hours above 0');
  }
  print(await new PlayerTokens({ secret }).sign(playerId, hours * 3_600));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  // What a person can mend is a sentence; anything else is a defect, and its place in the code is what helps.
  const text = error instanceof RankcastError ? error.message : error instanceof Error ? error.stack : String(error);
  if (!(await sayFailed(String(text)))) process.stderr.write(`rankcast: ${text}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
}
