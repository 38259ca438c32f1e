/** Loads uWebSockets.js; the only file that names the packages. It is native or the start fails, never a slow fallback. */

import { createRequire } from 'node:module';
import type * as Uws from '@trufflesuite/uws-js-unofficial';
import { StartRefusedError } from '../domain/errors.js';

export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
} from '@trufflesuite/uws-js-unofficial';
export type UwsModule = typeof Uws;

export interface UwsCandidate {
  readonly packageName: string;
  /** Throws where the package is missing or does not fit this machine. */
  load(): unknown;
}

export interface Runtime {
  readonly nodeVersion: string;
  /** `undefined` where the C library is not glibc (Alpine, macOS, Windows). */
  readonly glibcVersion: string | undefined;
}

export interface ChosenUws {
  readonly packageName: string;
  readonly uws: UwsModule;
}

const require = createRequire(import.meta.url);

/**
 * The official package where somebody installed it (it is not on the npm registry), then the current registry build
 * (Node 20-25, glibc 2.38 or newer), then the older one (Node 20, glibc 2.27 or newer). The last is loaded by its binary:
 * its own entry point would fall back to JavaScript with no more than a warning.
 */
const CANDIDATES: readonly UwsCandidate[] = [
  candidate('uWebSockets.js', 'uWebSockets.js'),
  candidate('@btc-vision/uwebsockets.js', '@btc-vision/uwebsockets.js'),
  candidate(
    '@trufflesuite/uws-js-unofficial',
    `@trufflesuite/uws-js-unofficial/binaries/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`,
  ),
];

function candidate(packageName: string, path: string): UwsCandidate {
  return { packageName, load: () => require(path) as unknown };
}

export function loadUws(): ChosenUws {
  return chooseUws(CANDIDATES, { nodeVersion: process.version, glibcVersion: readGlibcVersion() });
}

/** The first candidate that loads and is native. */
export function chooseUws(candidates: readonly UwsCandidate[], runtime: Runtime): ChosenUws {
  const failures: string[] = [];
  for (const { packageName, load } of candidates) {
    try {
      const loaded = load();
      if (isNative(loaded)) return { packageName, uws: loaded };
      failures.push(`${packageName} is not native here`);
    } catch (error) {
      failures.push(`${packageName}: ${firstUsefulLine(error)}`);
    }
  }
  const glibc = runtime.glibcVersion ?? 'no glibc';
  throw new StartRefusedError(
    `No build of uWebSockets.js fits Node ${runtime.nodeVersion} with glibc ${glibc}: use Node 20 on glibc 2.27 or newer ` +
      `(Debian, Ubuntu, not Alpine), or install the official package as the README says (${failures.join('; ')})`,
  );
}

function isNative(loaded: unknown): loaded is UwsModule {
  if (typeof loaded !== 'object' || loaded === null || !('App' in loaded)) return false;
  return typeof loaded.App === 'function' && Function.prototype.toString.call(loaded.App).includes('[native code]');
}

function firstUsefulLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Require stack'));
  return lines.at(-1)?.trim().slice(0, 160) ?? 'failed';
}

function readGlibcVersion(): string | undefined {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime;
}
