/** Writes what is generated under proto/, vectors and documents, from the sources beside: `npx tsx test/proto/write-files.ts`. */

import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated/files.js';

for (const { name, text } of generatedFiles) {
  writeFileSync(new URL(`../../proto/${name}`, import.meta.url), text);
}
