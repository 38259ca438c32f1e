/**
 * The product's server in a process that its parent can ask for its memory, after a full collection: what sessions hold, and
 * not what waits to be collected. Start it with `--expose-gc`; configured by environment, as ever.
 */

import { pino } from 'pino';
import type * as App from '../../../src/app.js';
import type * as Config from '../../../src/config.js';

export type ServerReport =
  | { readonly kind: 'ready'; readonly port: number }
  | { readonly kind: 'memory'; readonly rssBytes: number; readonly heapBytes: number };

/** The built one, beside its pages; it is not there yet where types are checked. */
const BUILT = new URL('../../../dist/src/', import.meta.url);
const { startApp } = (await import(new URL('app.js', BUILT).href)) as typeof App;
const { readConfig } = (await import(new URL('config.js', BUILT).href)) as typeof Config;

const app = await startApp({
  config: readConfig(process.env),
  logger: pino({ level: 'warn' }),
  signal: new AbortController().signal,
});
process.on('message', () => {
  for (let times = 0; times < 3; times += 1) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  tell({ kind: 'memory', rssBytes: rss, heapBytes: heapUsed + external });
});
process.on('disconnect', () => void app.stop().finally(() => process.exit(0)));
tell({ kind: 'ready', port: app.port ?? 0 });

function tell(report: ServerReport): void {
  process.send?.(report);
}
