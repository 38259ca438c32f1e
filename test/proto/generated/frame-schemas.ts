/** Frames as JSON Schema, draft 7: positional arrays whose elements carry their names as titles. */

import { z } from 'zod';
import { FrameType } from '../../../proto/frames.js';
import { frameSchemas } from '../../../proto/schema.js';
import { type FrameName, fieldNames, frameCatalogue } from './frame-catalogue.js';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** By number. */
export const frameNames = (Object.keys(FrameType) as FrameName[]).sort((a, b) => FrameType[a] - FrameType[b]);

export function frameSchema(name: FrameName): JsonSchema {
  const { direction, summary } = frameCatalogue[name];
  const { $schema: _, ...schema } = z.toJSONSchema(frameSchemas[name], { target: 'draft-7' });
  const titles = ['type', ...fieldNames(frameCatalogue[name])];
  const items = (schema.items as JsonSchema[]).map((item, index): JsonSchema => ({ title: titles[index], ...item }));
  // A BATCH would repeat the schema of every frame inside.
  if (name === 'batch') items[1] = { title: 'frames', type: 'array', items: { type: 'array' } };
  return {
    title: name.toUpperCase(),
    description: summary,
    'x-frame-type': FrameType[name],
    'x-direction': direction,
    ...schema,
    items,
  };
}

/** frames.schema.json: valid for any frame; `definitions` has each by its name. */
export const framesSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Rankcast frames, version 1',
  description:
    'Frames as decoded arrays, the type first. Elements behind those described are of later versions and to be ignored. ' +
    'PROTOCOL.md is the normative text; what no schema can say stands there.',
  anyOf: frameNames.map((name) => ({ $ref: `#/definitions/${name}` })),
  definitions: Object.fromEntries(frameNames.map((name) => [name, frameSchema(name)])),
};
