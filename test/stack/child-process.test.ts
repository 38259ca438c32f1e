import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isOnPath, isSameProcessAlive, markProcess, stopProcess, within } from './child-process.js';

test('knows a living process, and that it has ended', async () => {
  const child = spawn('sleep', ['600']);
  const mark = markProcess(child.pid ?? 0);
  expect(isSameProcessAlive(mark)).toBe(true);
  const closed = once(child, 'close');
  await stopProcess(mark);
  await closed;
  expect(isSameProcessAlive(mark)).toBe(false);
});

test('never stops another process that was given the same number', async () => {
  const child = spawn('sleep', ['600']);
  const mark = markProcess(child.pid ?? 0);
  await stopProcess({ ...mark, began: 'earlier' });
  expect(isSameProcessAlive(mark)).toBe(true);
  await stopProcess(mark);
});

test('kills what does not end when it is asked to', async () => {
  const child = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done']);
  await once(child.stdout, 'data');
  const mark = markProcess(child.pid ?? 0);
  await stopProcess(mark, { deadlineMs: 100 });
  expect(isSameProcessAlive(mark)).toBe(false);
});

test('gives up waiting for work that never ends', async () => {
  await expect(within(10, new Promise(() => undefined))).rejects.toThrow(/no answer within 10 ms/);
  await expect(within(10_000, Promise.resolve('done'))).resolves.toBe('done');
});

test('finds programs on the path', () => {
  expect([isOnPath('sh'), isOnPath('no-such-program')]).toEqual([true, false]);
});
