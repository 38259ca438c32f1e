import { expect, it } from 'vitest';
import { findReadyPorts } from '../../loadtest/lib/server-process.js';

it('finds the ports in the ready line of the log', () => {
  const log = '{"msg":"server.starting"}\n{"port":4001,"adminPort":4002,"msg":"server.ready"}\nstopping\n';
  expect(findReadyPorts(log)).toEqual({ port: 4_001, adminPort: 4_002 });
});

it('waits for a line that is written to its end', () => {
  expect(findReadyPorts('{"port":4001,"adminPort":4002,"msg":"server.ready"')).toBeNull();
  expect(findReadyPorts('')).toBeNull();
});
