/** A process that asks for a folder's lock and tells how that ended. */
import { pino } from 'pino';
import { lockFolder } from '../../../src/truth/embedded/folder-lock.js';

const [url = ''] = process.argv.slice(2);
const outcome = lockFolder(url, '/data', pino({ level: 'silent' })).then(
  () => 'locked',
  (error: unknown) => `rejected: ${error instanceof Error ? error.message : String(error)}`,
);
process.stdout.write(await outcome);
