/** The generated files as they must stand under proto/: path from there, and exact text. */

import { stringify } from 'yaml';
import { vectorFiles } from '../vectors/files.js';
import { asyncapi } from './asyncapi.js';
import { enums } from './enums.js';
import { framesSchema } from './frame-schemas.js';

export interface GeneratedFile {
  readonly name: string;
  readonly text: string;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const HEADER = '# Written by test/proto/write-files.ts from proto/schema.ts and the vectors: change those.\n';

export const generatedFiles: readonly GeneratedFile[] = [
  { name: 'frames.schema.json', text: json(framesSchema) },
  {
    name: 'asyncapi.yaml',
    text: HEADER + stringify(asyncapi, { lineWidth: 120, aliasDuplicateObjects: false }),
  },
  { name: 'enums.json', text: json(enums) },
  ...vectorFiles.map(({ name, text }) => ({ name: `vectors/${name}`, text })),
];
