import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stackDir } from './folders.js';

let projectDir: string;

beforeEach(async () => {
  // Below the checkout, so that the inner run finds the installed packages.
  await mkdir(path.dirname(stackDir), { recursive: true });
  projectDir = await mkdtemp(path.join(path.dirname(stackDir), 'reporter-'));
  await writeFile(
    path.join(projectDir, 'vitest.config.ts'),
    `import { NoSkipsReporter } from '../../test/stack/no-skips-reporter.js';
export default { test: { include: ['*.case.ts'], reporters: ['default', new NoSkipsReporter()] } };`,
  );
});

afterEach(async () => {
  await rm(projectDir, { recursive: true, force: true });
});

async function runVitest(testBody: string, ci: string): Promise<{ status: number | null; output: string }> {
  await writeFile(path.join(projectDir, 'a.case.ts'), `import { test } from 'vitest';\n${testBody}`);
  const ran = spawnSync('npx', ['vitest', 'run', '--root', projectDir], {
    encoding: 'utf8',
    cwd: projectDir,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: ci, RANKCAST_TEST_SUMMARY: 'redis=1' },
  });
  return { status: ran.status, output: ran.stdout + ran.stderr };
}

test('ends with one plain line and passes when all ran', async () => {
  const { status, output } = await runVitest(`test('a', () => {}); test('b', () => {});`, 'true');
  expect(output).toMatch(/^2 passed, 0 failed, 0 skipped redis=1$/m);
  expect(status).toBe(0);
});

test('fails CI when a test was skipped, and names it', async () => {
  const { status, output } = await runVitest(`test('a', () => {}); test.skip('b', () => {}); test.todo('c');`, 'true');
  expect(output).toMatch(/^1 passed, 0 failed, 2 skipped redis=1$/m);
  expect(output).toMatch(/^skipped: .*a\.case\.ts > b$/m);
  expect(status).toBe(1);
});

test('lets a person skip', async () => {
  const { status } = await runVitest(`test('a', () => {}); test.skip('b', () => {});`, '');
  expect(status).toBe(0);
});

test('counts failed tests, and files that cannot be loaded', async () => {
  const failed = await runVitest(`test('a', () => { throw new Error('no'); });`, 'true');
  expect(failed.output).toMatch(/^0 passed, 1 failed, 0 skipped redis=1$/m);
  const broken = await runVitest(`throw new Error('no');`, 'true');
  expect(broken.output).toMatch(/^0 passed, 1 failed, 0 skipped redis=1$/m);
  expect([failed.status, broken.status]).toEqual([1, 1]);
});
