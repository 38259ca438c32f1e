/** `npm run bench -- <name>`: one part of the product against its limit or peer, in one run. */

import { benchConnections } from './bench/connections.js';
import { benchGateway } from './bench/gateway.js';
import { benchOwnRank } from './bench/own-rank.js';
import { benchRebuild } from './bench/rebuild.js';
import { benchStalled } from './bench/stalled.js';
import { benchSubmit } from './bench/submit.js';
import { benchTruth } from './bench/truth.js';
import { runFromShell } from './lib/guarded-run.js';
import { progress } from './lib/report.js';

/** Stops what it started, also where it is interrupted; looks at the signal between its steps. */
type Bench = (args: readonly string[], interrupted: AbortSignal) => Promise<void>;

const BENCHES: Readonly<Record<string, Bench>> = {
  gateway: benchGateway,
  connections: benchConnections,
  stalled: benchStalled,
  'own-rank': benchOwnRank,
  submit: benchSubmit,
  rebuild: benchRebuild,
  truth: benchTruth,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  progress(`usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [options, see loadtest/README.md]`);
  process.exitCode = 2;
} else {
  process.exitCode = await runFromShell('bench', async (interrupted) => {
    await bench(args, interrupted);
    return true;
  });
}
