/** The version of this package, for WELCOME, metrics and the command line. */

import { readFileSync } from 'node:fs';

/** package.json lies two folders up from the compiled file and one from the source. */
const CANDIDATES = ['../package.json', '../../package.json'];

export function readVersion(): string {
  for (const candidate of CANDIDATES) {
    try {
      const text = readFileSync(new URL(candidate, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // The other one.
    }
  }
  return 'unknown';
}
