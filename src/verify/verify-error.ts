/** A run cannot go on, or cannot begin: what a person must change, in a sentence. It says nothing about the server's ranks. */

import { RankcastError } from '../domain/errors.js';

export class VerifyError extends RankcastError {
  readonly isRetryable = false;
}
