/** A process for the tests to kill: starts the database of a folder, writes one row, says so, and waits. */
import pg from 'pg';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../../src/truth/embedded/embedded-postgres.js';

const server = await startEmbeddedPostgres({ dataDir: process.argv[2] ?? '', logger: pino({ level: 'silent' }) });
const client = new pg.Client(server.url);
await client.connect();
await client.query('CREATE TABLE kept (note text)');
await client.query(`INSERT INTO kept VALUES ('before the kill')`);
process.stdout.write('written\n');
setInterval(() => undefined, 1_000);
