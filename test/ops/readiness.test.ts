import { expect, it } from 'vitest';
import { Readiness } from '../../src/ops/readiness.js';

it('starts, is ready with all dependencies, and never comes back from draining', () => {
  const readiness = new Readiness();
  readiness.markNotReady('kafka', 'connecting');
  expect(readiness.report()).toEqual({
    status: 'starting',
    dependencies: { kafka: { isReady: false, reason: 'connecting' } },
  });
  readiness.serve();
  expect(readiness.report().status).toBe('not-ready');
  readiness.markReady('kafka');
  expect(readiness.report().status).toBe('ready');
  readiness.drain();
  readiness.serve();
  expect(readiness.report().status).toBe('draining');
});
