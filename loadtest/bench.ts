/** `npm run bench -- <name>`: one part of the product against its limit or peer, in one run. */

import { benchSubmit } from './bench/submit.js';
import { progress } from './lib/report.js';

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = { submit: benchSubmit };

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  progress(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}`);
  process.exitCode = 2;
} else {
  await bench(args);
}
