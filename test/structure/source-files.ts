/** The files of the product as text, by their path from the top of the repository. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `path` from the top of the repository, with slashes. */
export function readProjectFile(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8');
}

export function isInProject(path: string): boolean {
  return existsSync(`${ROOT}${path}`);
}

/** Paths of the files in a folder and below that end so, sorted. */
export function listFiles(folder: string, ending: string): string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => `${entry.parentPath.slice(ROOT.length)}/${entry.name}`)
    .sort();
}

/** Every TypeScript file that is not a test. */
export function listSources(): string[] {
  return ['src', 'proto', 'loadtest'].flatMap((folder) => listFiles(folder, '.ts'));
}
