/** The `_FILE` twins of secrets: Docker and Kubernetes hand a secret over as a file. */

import { PREFIX, SECRET_SETTINGS } from './settings.js';

/** Puts the content of each `<NAME>_FILE` under `<NAME>`; what is wrong is added to `problems`. Names with the prefix. */
export function withSecretFiles(
  given: ReadonlyMap<string, string>,
  readFile: (path: string) => string,
  problems: string[],
): Map<string, string> {
  const values = new Map(given);
  for (const secret of SECRET_SETTINGS) {
    const name = `${PREFIX}${secret}`;
    const path = given.get(`${name}_FILE`);
    if (path === undefined) continue;
    values.delete(`${name}_FILE`);
    if (given.has(name)) {
      problems.push(`set ${name} or ${name}_FILE, not both`);
      continue;
    }
    const text = tryRead(path, readFile);
    if (text === null) problems.push(`${name}_FILE names ${path}, which cannot be read`);
    else if (text.trim() === '') problems.push(`${name}_FILE names ${path}, which is empty`);
    else values.set(name, text);
  }
  return values;
}

function tryRead(path: string, readFile: (path: string) => string): string | null {
  try {
    return readFile(path);
  } catch {
    return null;
  }
}
