import { expect, it } from 'vitest';
import { createLogger } from '../../src/ops/logger.js';

function capture(level: string) {
  const lines: string[] = [];
  return { lines, logger: createLogger({ level, destination: { write: (line) => void lines.push(line) } }) };
}

it('writes JSON lines with the name of the level and the time', () => {
  const { lines, logger } = capture('info');
  logger.debug('unseen');
  logger.info({ boardId: 'arena' }, 'seen');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.any(Number),
    boardId: 'arena',
    msg: 'seen',
  });
});

it('leaves secrets out, wherever they were put', () => {
  const { lines, logger } = capture('info');
  const secret = 'hunter2';
  logger.info({ token: secret, headers: { authorization: secret }, config: { stores: { databaseUrl: secret } } }, 'x');
  logger.info({ config: { tokens: { secret }, ingestToken: secret } }, 'y');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain(secret);
});
