import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/domain/errors.js';
import { StoreRefusedError, toStoreError } from '../../src/truth/store-errors.js';

/** As the driver throws what PostgreSQL reports. */
const reported = (code: string, message: string, hint?: string): Error =>
  Object.assign(new Error(message), { code, hint });

it('names the setting where the table of locks is full, in whatever language PostgreSQL speaks', () => {
  const hint = 'Sie müssen möglicherweise »max_locks_per_transaction« erhöhen.';
  const error = toStoreError(reported('53200', 'Shared Memory aufgebraucht', hint));
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error.message).toContain('max_locks_per_transaction');
  expect(error.message).toContain('raise');
});

it('keeps the reason of PostgreSQL where memory of another kind ran out', () => {
  const error = toStoreError(reported('53200', 'out of memory'));
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error.message).toContain('out of memory');
  expect(error.message).not.toContain('max_locks_per_transaction');
});

it('tells a refused value from everything that may pass', () => {
  expect(toStoreError(reported('22021', 'invalid byte sequence'))).toBeInstanceOf(StoreRefusedError);
  expect(toStoreError(reported('57P01', 'terminating connection'))).toBeInstanceOf(StoreUnavailableError);
});
