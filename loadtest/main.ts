/** `npm run loadtest -- <scenario>`: load on the whole product, over the real services, with proof that nothing was lost. */

import { progress } from './lib/report.js';
import { runFanout } from './scenarios/fanout.js';

/** Answers whether the run held all that it must hold; rejects where it could not be carried through. */
type Scenario = (args: readonly string[], signal: AbortSignal) => Promise<boolean>;

const SCENARIOS: Readonly<Record<string, Scenario>> = { fanout: runFanout };

const [name = '', ...args] = process.argv.slice(2);
const scenario = SCENARIOS[name];
if (scenario === undefined) {
  progress(`usage: npm run loadtest -- ${Object.keys(SCENARIOS).join(' | ')} [options, see loadtest/README.md]`);
  process.exitCode = 2;
} else {
  process.exitCode = (await isHeld(scenario)) ? 0 : 1;
}

async function isHeld(run: Scenario): Promise<boolean> {
  const interrupted = new AbortController();
  // The scenario takes down what it started; a second signal does not wait for that.
  const interrupt = (): void => (interrupted.signal.aborted ? process.exit(1) : interrupted.abort());
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await run(args, interrupted.signal);
  } catch (error) {
    progress(`loadtest: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
