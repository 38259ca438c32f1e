/** Errors that speak to a person and say whether trying again can help. */

export abstract class RankcastError extends Error {
  /** Whether the same call can succeed later without anybody changing anything. */
  abstract readonly isRetryable: boolean;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The setting, file or service is wrong in a way that only a person can mend; the start stops with this sentence. */
export class StartRefusedError extends RankcastError {
  readonly isRetryable = false;
}

/** A command was typed wrong; the process ends with exit code 2, which says that nothing was tried. */
export class UsageError extends RankcastError {
  readonly isRetryable = false;
}

/** A store did not answer, or answered that it cannot now. */
export class StoreUnavailableError extends RankcastError {
  readonly isRetryable = true;
}

/** The log refuses a record for its size: the same record is refused again, whatever the time. */
export class RecordTooLargeError extends RankcastError {
  readonly isRetryable = false;
}
