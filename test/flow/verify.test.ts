/**
 * `rankcast verify` as a person runs it, against all stores.
 *
 * Set up: a worker and a gateway, a board with day, week and guilds and one that adds up. Act: the command on the first, with a
 * rebuild meanwhile, then on the second. Expect: every window of every client right at every quiet point, and the boards empty
 * again. RANKCAST_VERIFY_MINUTES makes the first run longer.
 */
import { expect, test } from 'vitest';
import { type Flow, startFlow } from './flow.js';

const MINUTES = Number(process.env['RANKCAST_VERIFY_MINUTES'] ?? 2);
const BOARDS = `
modes:
  - id: arena
    points: { min: 0, max: 100000 }
boards:
  - { id: arena, modes: [arena], periods: [day, week], zone: Europe/Berlin, scopes: [guild] }
  - { id: marathon, modes: [arena], rule: sum, maxTotal: 100000000 }
calendar:
  seasons:
    - { id: "1", startsAt: 2026-01-01, endsAt: 2031-01-01 }
`;

test('finds nothing wrong in minutes of play with a rebuild', {
  timeout: MINUTES * 120_000 + 180_000,
}, async () => {
  const flow = await startFlow({ boards: BOARDS });
  try {
    await flow.startWorker();
    await expectPass(flow, 'arena', ['--minutes', String(MINUTES), '--seed', '20261201'], 'rebuild=done');
    // 27 bits of points leave 26 of time: five years in 10 s.
    await expectPass(flow, 'marathon', ['--minutes', '0.3', '--time-unit-ms', '10000'], 'misjudged=0');
  } finally {
    await flow.close();
  }
});

async function expectPass(flow: Flow, board: string, args: readonly string[], said: string): Promise<void> {
  const end = await flow.run(['verify', '--url', flow.url, '--board', board, '--clients', '40', ...args]);
  const last = end.stdout.trimEnd().split('\n').at(-1);
  expect([end.code, last], end.stderr).toEqual([0, expect.stringMatching(/^verify=pass .*mismatches=0$/)]);
  expect(last).toContain(said);
  const response = await fetch(`${flow.url}/v1/boards/${board}/entries`);
  expect(await response.json()).toMatchObject({ total: 0, entries: [] });
}
