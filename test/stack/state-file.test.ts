import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { withStackLock } from './state-file.js';

test('lets one at a time start and stop servers', async () => {
  let inside = 0;
  const depths = await Promise.all(
    [1, 2, 3].map(() =>
      withStackLock(async () => {
        inside += 1;
        const depth = inside;
        await new Promise((resolve) => setTimeout(resolve, 20));
        inside -= 1;
        return depth;
      }),
    ),
  );
  expect(depths).toEqual([1, 1, 1]);
});

test('does not wait for a process that was killed while it held the lock', async () => {
  const script = `import('${new URL('./state-file.ts', import.meta.url).href}').then(({ withStackLock }) =>
    withStackLock(async () => { console.log('held'); await new Promise((resolve) => setTimeout(resolve, 600_000)); }))`;
  const child = spawn(process.execPath, ['--import', 'tsx', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
  expect(await withStackLock(async () => 'taken')).toBe('taken');
});

test('frees the lock when the work fails', async () => {
  await expect(withStackLock(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withStackLock(async () => 'taken')).toBe('taken');
});
