import { describe, expect, it } from 'vitest';
import { closureOf, findCycles, type Import, importsOf } from './import-graph.js';

function local(from: string, to: string): Import {
  return { from, to, isLocal: true, isTypeOnly: false };
}

describe('import graph', () => {
  it.each([
    ["import { a } from '../b/c.js';", 'src/b/c.ts', false],
    ["import type { A } from './c.js';", 'src/a/c.ts', true],
    ["import { type A } from './c.js';", 'src/a/c.ts', false],
    ["import {\n  a,\n  type B,\n} from './c.js';", 'src/a/c.ts', false],
    ["import * as c from './c.js';", 'src/a/c.ts', false],
    ["import c, { a } from './c.js';", 'src/a/c.ts', false],
    ["import './c.js';", 'src/a/c.ts', false],
    ["export { a } from './c.js';", 'src/a/c.ts', false],
    ["export * from './c.js';", 'src/a/c.ts', false],
    ["export type { A } from './c.js';", 'src/a/c.ts', true],
    ["const c = await import('./c.js');", 'src/a/c.ts', false],
    ["type C = typeof import('./c.js');", 'src/a/c.ts', true],
    ["import { z } from 'zod';", 'zod', false],
    ["import { z } from 'zod/mini';", 'zod', false],
    ["import type * as Uws from '@some/uws/native';", '@some/uws', true],
    ["import { readFileSync } from 'node:fs';", 'node:fs', false],
  ])('reads %j', (text, to, isTypeOnly) => {
    expect(importsOf('src/a/x.ts', text)).toEqual([
      { from: 'src/a/x.ts', to, isLocal: to.startsWith('src/'), isTypeOnly },
    ]);
  });

  it('takes neither comments nor exports of values for imports', () => {
    const text = [
      "/* import { a } from './a.js'; */",
      " * import { b } from './b.js';",
      "// import './c.js';",
      "export const from = 'elsewhere';",
      "export function read(): string { return 'from'; }",
      '',
    ].join('\n');
    expect(importsOf('src/a/x.ts', text)).toEqual([]);
  });

  it('reads all of several imports', () => {
    const text = "import { a } from './a.js';\nimport type { B } from './b.js';\n\nexport const c = 'd';\n";
    expect(importsOf('src/x.ts', text).map(({ to }) => to)).toEqual(['src/a.ts', 'src/b.ts']);
  });

  it('finds a circle, and none where two ways lead to one file', () => {
    const diamond = [local('a', 'b'), local('a', 'c'), local('b', 'd'), local('c', 'd')];
    expect(findCycles(diamond)).toEqual([]);
    expect(findCycles([...diamond, local('d', 'b')])).toEqual(['b -> d -> b']);
    expect(findCycles([local('a', 'a')])).toEqual(['a -> a']);
  });

  it('follows imports to the end', () => {
    const imports = [local('a', 'b'), local('b', 'c'), local('x', 'a')];
    expect([...closureOf(['a'], imports)]).toEqual(['a', 'b', 'c']);
  });
});
