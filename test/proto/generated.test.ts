import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FrameType } from '../../proto/frames.js';
import { frameSchemas } from '../../proto/schema.js';
import type { enums } from './generated/enums.js';
import { generatedFiles } from './generated/files.js';
import { fieldNames, frameCatalogue } from './generated/frame-catalogue.js';
import { frameNames } from './generated/frame-schemas.js';
import { encodeVectors } from './vectors/encode-vectors.js';

const textOf = (name: string): string => readFileSync(new URL(`../../proto/${name}`, import.meta.url), 'utf8');

const nameOf = (type: number) => frameNames.find((name) => FrameType[name] === type) ?? 'batch';

type Json = { readonly [key: string]: Json } & { readonly [index: number]: Json };
interface Message {
  readonly 'x-frame-type': number;
  readonly 'x-direction': string;
  readonly payload: { readonly $ref: string };
  readonly examples: readonly { readonly name: string; readonly payload: readonly unknown[] }[];
}

describe('generated files', () => {
  it.each(generatedFiles)('$name is what its source says', ({ name, text }) => {
    expect(textOf(name)).toBe(text);
  });

  it.each(frameNames)('%s has as many fields in its schema as the catalogue names', (name) => {
    expect(frameSchemas[name].def.items).toHaveLength(1 + fieldNames(frameCatalogue[name]).length);
  });

  it.each(frameNames)('%s may leave nil exactly what the catalogue marks', (name) => {
    const marked = frameCatalogue[name].fields
      .replace(/\[[^\]]*,[^\]]*\]/g, '')
      .split(', ')
      .map((field) => field.endsWith('?'));
    const fields = frameSchemas[name].def.items.slice(1) as readonly z.ZodType[];
    expect(fields.map((field) => field.safeParse(null).success)).toEqual(marked);
  });
});

describe('frames.schema.json', () => {
  const document = JSON.parse(textOf('frames.schema.json')) as { definitions: Record<string, object>; anyOf: object[] };
  const schemaOf = (name: string) => z.fromJSONSchema(document.definitions[name] as never);

  it('has each frame of this version, and no other', () => {
    expect(Object.keys(document.definitions)).toEqual(frameNames);
    expect(document.anyOf).toEqual(frameNames.map((name) => ({ $ref: `#/definitions/${name}` })));
  });

  it.each(encodeVectors)('$dir: $name fits its frame and no other', ({ json }) => {
    const { length } = frameSchemas[nameOf(json[0])].def.items;
    const missing = Array.from({ length: length - json.length }, () => null);
    const frame = [...json, ...missing, 'of a later version'];
    expect(frameNames.filter((name) => schemaOf(name).safeParse(frame).success)).toEqual([nameOf(json[0])]);
  });
});

describe('asyncapi.yaml', () => {
  const document = parse(textOf('asyncapi.yaml')) as Json;
  const messages = document['components']?.['messages'] as unknown as Record<string, Message>;

  const resolved = (ref: string): Json | undefined => {
    expect(ref).toMatch(/^#\//);
    return ref
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((node, key) => node?.[key], document);
  };

  it('is AsyncAPI 3.0 with one channel, whose operations hold each message in its direction', () => {
    expect(document['asyncapi']).toBe('3.0.0');
    expect(Object.keys(document['channels'] ?? {})).toEqual(['socket']);
    expect(Object.keys(document['channels']?.['socket']?.['messages'] ?? {})).toEqual(frameNames);
    const namesIn = (operation: string) => {
      const list = document['operations']?.[operation]?.['messages'] as unknown as { $ref: string }[];
      return list.map(({ $ref }) => $ref.split('/').at(-1));
    };
    for (const name of frameNames) {
      expect(namesIn('fromClient').includes(name), name).toBe(frameCatalogue[name].direction !== 'server');
      expect(namesIn('toClient').includes(name), name).toBe(frameCatalogue[name].direction !== 'client');
    }
  });

  it('has no reference that leads nowhere', () => {
    const refs = [...textOf('asyncapi.yaml').matchAll(/\$ref: "?([^"\s]+)"?/g)].map(([, ref = '']) => ref);
    expect(refs.length).toBeGreaterThan(3 * frameNames.length);
    for (const ref of refs) expect(resolved(ref), ref).toBeDefined();
  });

  it.each(frameNames)('%s has examples that fit its payload', (name) => {
    const message = messages[name];
    expect(message?.['x-frame-type']).toBe(FrameType[name]);
    expect(message?.['x-direction']).toBe(frameCatalogue[name].direction);
    expect(message?.examples.length).toBeGreaterThan(0);
    const payload = z.fromJSONSchema(resolved(message?.payload.$ref ?? '') as never);
    for (const example of message?.examples ?? []) {
      expect(payload.safeParse(example.payload).error, example.name).toBeUndefined();
    }
  });
});

describe('enums.json', () => {
  it('answers for any close code as the client does', () => {
    const read = JSON.parse(textOf('enums.json')) as typeof enums;
    expect(read.closeCodes.find(({ code }) => code === 4401)?.retry).toBe('new-token');
    expect(read.otherCloseCodes[0]).toEqual({ from: 4400, to: 4499, retry: 'no' });
    expect(read.frameTypes).toEqual(FrameType);
  });
});
