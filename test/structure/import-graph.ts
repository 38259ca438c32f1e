/** Who imports whom: reads the import lines of TypeScript files, without a compiler. */

import { posix } from 'node:path';

export interface Import {
  /** Path of the importing file. */
  readonly from: string;
  /** Path of the imported file, or the name of a package or of a Node module (`node:fs`). */
  readonly to: string;
  readonly isLocal: boolean;
  /** Gone after compilation. `import { type A }` is not: the compiler keeps the line. */
  readonly isTypeOnly: boolean;
}

/** At the start of a line only, so that text in comments and strings is none. A clause has neither quotes nor `;`. */
const STATEMENT = /^(?:import|export)\s+(?:(type)\s+)?(?:[\w*{][^'";]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\b(?:(typeof)\s+)?import\('([^']+)'\)/g;

export function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(STATEMENT), ...text.matchAll(DYNAMIC)].map(([, typeWord, specifier = '']) => {
    const isLocal = specifier.startsWith('.');
    const to = isLocal ? resolveLocal(file, specifier) : packageOf(specifier);
    return { from: file, to, isLocal, isTypeOnly: typeWord !== undefined };
  });
}

function resolveLocal(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
}

function packageOf(specifier: string): string {
  return specifier.startsWith('node:') ? specifier : (/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
}

/** Each way round that leads back to its start, the start repeated at the end; one per file where a circle closes. */
export function findCycles(imports: readonly Import[]): string[] {
  const targets = targetsOf(imports);
  const isDone = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) cycles.push([...path.slice(start), file].join(' -> '));
    if (start >= 0 || isDone.has(file)) return;
    for (const target of targets.get(file) ?? []) walk(target, [...path, file]);
    isDone.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return cycles;
}

/** All that a program gets when it imports one of the files: those, and what they import, and so on. */
export function closureOf(files: readonly string[], imports: readonly Import[]): Set<string> {
  const targets = targetsOf(imports);
  const reached = new Set(files);
  // A set is walked in the order of insertion, what is added on the way included.
  for (const file of reached) for (const target of targets.get(file) ?? []) reached.add(target);
  return reached;
}

function targetsOf(imports: readonly Import[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to, isLocal } of imports) if (isLocal) targets.set(from, [...(targets.get(from) ?? []), to]);
  return targets;
}
