/** Writes proto/vectors from the sources beside this file: `npx tsx test/proto/write-vectors.ts`. */

import { writeFileSync } from 'node:fs';
import { vectorFiles } from './vectors/files.js';

for (const { name, text } of vectorFiles) {
  writeFileSync(new URL(`../../proto/vectors/${name}`, import.meta.url), text);
}
