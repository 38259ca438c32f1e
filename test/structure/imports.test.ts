/** The rules of who may import whom, over the import lines as they are. Changing the design means changing this table. */

import { describe, expect, it } from 'vitest';
import { closureOf, findCycles, type Import, importsOf } from './import-graph.js';
import { isInProject, listSources, readProjectFile } from './source-files.js';

/**
 * Folder, or single file: what it may import beside itself. Entries end in `/` (a folder) or `.ts` (a file). The longest
 * name that fits a file is its own.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'all'>> = {
  'proto/': [],
  'src/domain/': [],
  'src/wire/': ['proto/'],
  'src/ops/': ['src/domain/'],
  'src/truth/': ['src/domain/', 'src/ops/'],
  'src/ranking/': ['src/domain/', 'src/ops/'],
  'src/social/': ['src/domain/', 'src/ops/'],
  'src/access/': ['src/domain/', 'src/ops/'],
  'src/views/': ['src/domain/'],
  'src/results/': ['src/domain/', 'proto/', 'src/ops/'],
  'src/seasons/': ['src/domain/', 'proto/', 'src/ops/'],
  'src/rebuild/': ['src/domain/', 'proto/', 'src/ops/'],
  'src/gateway/': ['src/domain/', 'proto/', 'src/wire/', 'src/ops/', 'src/views/'],
  'src/http/': ['src/domain/', 'proto/', 'src/wire/', 'src/ops/', 'src/views/'],
  'src/client/': ['proto/', 'src/wire/'],
  'src/pages/': ['src/client/'],
  // The simulator judges the server from outside: with the client that users have, and no code that ranks.
  'src/verify/': ['src/client/', 'src/domain/errors.ts'],
  'src/config.ts': ['src/config/', 'src/domain/'],
  'src/config/': ['src/config.ts', 'src/domain/'],
  // How a boards file and an environment ask "did you mean" is the same.
  'src/boards.ts': ['src/boards/', 'src/domain/'],
  'src/boards/': ['src/domain/', 'src/config/nearest-name.ts'],
  'src/version.ts': [],
  'src/app.ts': 'all',
  'src/app/': 'all',
  'src/main.ts': 'all',
  'src/demo/': ['src/app.ts', 'src/boards.ts', 'src/config.ts', 'src/domain/'],
  // Load reaches the server from outside, as games and players do; what a board is, both read in the boards file.
  'loadtest/': [
    'src/client/',
    'src/domain/',
    'src/boards.ts',
    'src/ops/player-tokens.ts',
    'src/verify/zipf.ts',
    // A database that holds a past has truth's own tables.
    'src/truth/migrate.ts',
    'src/truth/day-partitions.ts',
    'test/stack/',
    'test/support/',
  ],
  // These measure parts of the product, without a server around them.
  'loadtest/bench/': [
    'loadtest/lib/',
    'proto/',
    'src/app.ts',
    'src/boards.ts',
    'src/client/',
    'src/config.ts',
    'src/domain/',
    // The bare loop that the gateway is measured by runs on the same library.
    'src/gateway/uws.ts',
    'src/ops/player-tokens.ts',
    'src/ranking/',
    'src/rebuild/',
    'src/truth/',
    'src/views/',
    'src/wire/',
    'test/stack/',
  ],
};

/** Packages that only these files and folders may name, so that they can be replaced in one place. */
const FENCES: Readonly<Record<string, readonly string[]>> = {
  '@trufflesuite/uws-js-unofficial': ['src/gateway/uws.ts'],
  '@btc-vision/uwebsockets.js': ['src/gateway/uws.ts'],
  'uWebSockets.js': ['src/gateway/uws.ts'],
  kafkajs: ['src/results/'],
  ioredis: ['src/ranking/redis-connection.ts'],
  msgpackr: ['src/wire/encode.ts', 'src/ranking/script-codec.ts'],
  'lru-cache': ['src/social/'],
};
const FENCED_FOLDERS = ['src/', 'proto/'];

/** Where the things that hold state or connections live; who builds them decides what the server is made of. */
const BUILT_FOLDERS = ['truth', 'ranking', 'results', 'social', 'access', 'rebuild', 'gateway', 'http'].map(
  (f) => `src/${f}/`,
);
const BUILDERS = ['src/app.ts', 'src/app/'];

const sources = listSources();
const texts = new Map(sources.map((file) => [file, readProjectFile(file)]));
const imports = sources.flatMap((file) => importsOf(file, texts.get(file) ?? ''));

function isWithin(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || (place.endsWith('/') && file.startsWith(place)));
}

function roomOf(file: string): string | undefined {
  const rooms = Object.keys(MAY_IMPORT).filter((room) => isWithin(file, [room]));
  return rooms.sort((a, b) => b.length - a.length)[0];
}

function isAllowed({ from, to, isLocal }: Import): boolean {
  const room = roomOf(from);
  const allowed = room === undefined ? [] : (MAY_IMPORT[room] ?? []);
  return !isLocal || allowed === 'all' || isWithin(to, [...allowed, room ?? from]);
}

function describeImports(some: readonly Import[]): string[] {
  return some.map(({ from, to, isTypeOnly }) => `${from} -> ${to}${isTypeOnly ? ' (type)' : ''}`);
}

describe('imports', () => {
  it('are seen at all', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(imports.length).toBeGreaterThan(sources.length);
  });

  it('lead to files that exist', () => {
    const missing = imports.filter(({ to, isLocal }) => isLocal && !isInProject(to));
    expect(describeImports(missing)).toEqual([]);
  });

  it('start in a folder that has a rule', () => {
    expect(sources.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('keep to the rule of their folder', () => {
    expect(describeImports(imports.filter((one) => !isAllowed(one)))).toEqual([]);
  });

  it('go in no circle', () => {
    expect(findCycles(imports)).toEqual([]);
  });

  it.each(Object.entries(FENCES))('of %s stay behind its fence', (name, places) => {
    const strays = imports.filter(({ from, to }) => {
      return to === name && isWithin(from, FENCED_FOLDERS) && !isWithin(from, places);
    });
    expect(describeImports(strays)).toEqual([]);
    // Also where it is loaded by `require` or named with a path inside.
    const quoted = new RegExp(`^(?! \\*|//).*['"\`]${name.replaceAll('.', '\\.')}[/'"\`]`, 'm');
    const naming = sources.filter((file) => isWithin(file, FENCED_FOLDERS) && quoted.test(texts.get(file) ?? ''));
    expect(naming.filter((file) => !isWithin(file, places))).toEqual([]);
  });

  it('of pg are of its types outside truth: the pool is injected', () => {
    const strays = imports.filter(({ from, to, isTypeOnly }) => {
      return to === 'pg' && !isTypeOnly && isWithin(from, FENCED_FOLDERS) && !isWithin(from, ['src/truth/']);
    });
    expect(describeImports(strays)).toEqual([]);
  });

  it('of what holds state come from the composition root alone', () => {
    const strays = imports.filter(({ from, to, isTypeOnly }) => {
      const home = BUILT_FOLDERS.find((folder) => isWithin(to, [folder]));
      if (isTypeOnly || home === undefined || !from.startsWith('src/')) return false;
      return !isWithin(from, [home, ...BUILDERS]);
    });
    expect(describeImports(strays)).toEqual([]);
  });

  it('of the client reach nothing that a browser lacks, and no package', () => {
    const reached = closureOf(
      sources.filter((file) => isWithin(file, ['src/client/', 'src/pages/'])),
      imports,
    );
    expect(reached).not.toContain('proto/schema.ts');
    const outside = imports.filter(({ from, isLocal }) => reached.has(from) && !isLocal);
    expect(describeImports(outside)).toEqual([]);
    const asking = [...reached].filter((file) => /\bBuffer\.|\bprocess\.|\brequire\(/.test(texts.get(file) ?? ''));
    expect(asking).toEqual([]);
  });

  it('of the simulator reach no code that ranks: it judges the server by a ranking of its own', () => {
    const reached = closureOf(
      sources.filter((file) => isWithin(file, ['src/verify/'])),
      imports,
    );
    expect(reached).toContain('src/client/client.ts');
    const outside = ['src/verify/', 'src/client/', 'src/wire/', 'proto/', 'src/domain/errors.ts'];
    expect([...reached].filter((file) => !isWithin(file, outside))).toEqual([]);
  });

  it('of the product name packages that are installed with it', () => {
    const manifest = JSON.parse(readProjectFile('package.json')) as Record<string, Record<string, string>>;
    const installed = Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] });
    const strays = imports.filter(({ from, to, isLocal, isTypeOnly }) => {
      const isOurs = isWithin(from, FENCED_FOLDERS) && !isLocal && !isTypeOnly;
      return isOurs && !to.startsWith('node:') && !installed.includes(to);
    });
    expect(describeImports(strays)).toEqual([]);
  });
});
