/** Loads the Lua scripts: `verb-noun-<key count>.lua` with `--@include name` lines resolved from includes/. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface Script {
  readonly name: string;
  readonly keyCount: number;
  readonly source: string;
  /** SHA-1 of the source, as EVALSHA wants it. */
  readonly sha: string;
}

const SCRIPT_FOLDER = new URL('./lua/', import.meta.url);
const INCLUDE_LINE = /^--@include ([a-z-]+)$/gm;

export function loadScript(name: string): Script {
  const keyCount = Number(/-(\d)$/.exec(name)?.[1]);
  if (Number.isNaN(keyCount)) throw new Error(`script ${name} does not end in its number of keys`);
  const source = read(`${name}.lua`).replace(INCLUDE_LINE, (_line, include: string) => read(`includes/${include}.lua`));
  return { name, keyCount, source, sha: createHash('sha1').update(source).digest('hex') };
}

function read(file: string): string {
  return readFileSync(new URL(file, SCRIPT_FOLDER), 'utf8');
}
