/** `npm run loadtest -- <scenario>`: load on the whole product, over the real services, with proof that nothing was lost. */

import { runFromShell } from './lib/guarded-run.js';
import { progress } from './lib/report.js';
import { runFanout } from './scenarios/fanout.js';
import { runRebuild } from './scenarios/rebuild.js';

/** Answers whether the run held all that it must hold; rejects where it could not be carried through. */
type Scenario = (args: readonly string[], interrupted: AbortSignal) => Promise<boolean>;

const SCENARIOS: Readonly<Record<string, Scenario>> = { fanout: runFanout, rebuild: runRebuild };

const [name = '', ...args] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (scenario === undefined) {
  progress(`usage: npm run loadtest -- ${Object.keys(SCENARIOS).join(' | ')} [options, see loadtest/README.md]`);
  process.exitCode = 2;
} else {
  process.exitCode = await runFromShell('loadtest', (interrupted) => scenario(args, interrupted));
}
