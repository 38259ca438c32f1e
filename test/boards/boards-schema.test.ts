import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { boardsJsonSchema } from '../../src/boards/boards-schema.js';

it('the published schema is that of the reader (write boardsJsonSchema() to proto/boards.schema.json after a change)', () => {
  const published = readFileSync(new URL('../../proto/boards.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(boardsJsonSchema())));
});
