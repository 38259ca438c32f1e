/** What a person types wrong is answered by a sentence, and by the exit code of wrong usage. */

import { expect, it } from 'vitest';
import { runCommand } from '../support/server-process.js';

const ENV = { RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef' };

it.each([
  [['reconcile', '--bord', 'arena']],
  [['reconcile', '--board']],
  [['reconcile', 'arena', '--board', 'all']],
  [['reconcile']],
  [['detach']],
])('%j is refused with one sentence and exit code 2', async (args) => {
  const { code, stdout, stderr } = await runCommand(args, ENV);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^rankcast: [^\n]+\n$/);
});
