import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Lifecycle, StoppedError } from '../../src/ops/lifecycle.js';

const logger = pino({ level: 'silent' });

function make(stopTimeoutMs = 10_000) {
  const events: string[] = [];
  const lifecycle = new Lifecycle({ logger, stopTimeoutMs });
  const step = (name: string, stop: () => unknown = () => undefined) =>
    lifecycle.start(
      name,
      async () => {
        events.push(`start ${name}`);
        return name;
      },
      (started) => {
        events.push(`stop ${started}`);
        return stop();
      },
    );
  return { events, lifecycle, step };
}

it('stops in reverse, once', async () => {
  const { events, lifecycle, step } = make();
  expect(await step('database')).toBe('database');
  await step('server');
  expect(await Promise.all([lifecycle.stop(), lifecycle.stop()])).toEqual([[], []]);
  expect(events).toEqual(['start database', 'start server', 'stop server', 'stop database']);
});

it('stops the rest where one stop throws, rejects or hangs', async () => {
  const { events, lifecycle, step } = make(5);
  await step('a');
  await step('b', () => {
    throw new Error('b');
  });
  await step('c', () => Promise.reject(new Error('c')));
  await step('d', () => new Promise(() => undefined));
  expect(await lifecycle.stop()).toEqual(['d', 'c', 'b']);
  expect(events.slice(4)).toEqual(['stop d', 'stop c', 'stop b', 'stop a']);
});

it('lets a failing start through and stops what had been started before', async () => {
  const { events, lifecycle, step } = make();
  await step('a');
  const failing = lifecycle.start(
    'b',
    () => Promise.reject(new Error('no port')),
    () => events.push('stop b'),
  );
  await expect(failing).rejects.toThrow('no port');
  await lifecycle.stop();
  expect(events).toEqual(['start a', 'stop a']);
});

it('waits for a start in progress and stops it too', async () => {
  const { events, lifecycle } = make();
  let finish = (_: string) => {};
  const started = new Promise<string>((resolve) => {
    finish = resolve;
  });
  const starting = lifecycle.start(
    'child',
    () => started,
    (name) => events.push(`stop ${name}`),
  );
  const stopping = lifecycle.stop();
  finish('child');
  await expect(starting).rejects.toBeInstanceOf(StoppedError);
  expect(await stopping).toEqual([]);
  expect(events).toEqual(['stop child']);
});

it('starts nothing once the stop has begun', async () => {
  const { events, lifecycle, step } = make();
  await lifecycle.stop();
  await expect(step('late')).rejects.toBeInstanceOf(StoppedError);
  expect(events).toEqual([]);
});
