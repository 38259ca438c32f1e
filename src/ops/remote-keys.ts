/** Public keys of player tokens, from a JWK set on the network: kept, looked at again, and never asked for in a storm. */

import { type CryptoKey, createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { StoreUnavailableError } from '../domain/errors.js';

export interface RemoteKeysOptions {
  /** Of a JWK set (RFC 7517), http or https; answers 200, no redirect. */
  readonly url: string;
  /** A load has failed; at most once in the 5 s between two of them. */
  readonly onFailure: (error: StoreUnavailableError) => void;
}

const TIMEOUT_MS = 3_000;
/** Between two loads, whatever tokens ask for: key ids are not signed, so anybody can make up new ones. */
const PAUSE_MS = 5_000;
/** Older keys are loaded anew on the side, so a key that was taken out of the set stops counting. */
const MAX_AGE_MS = 600_000;
/** As long as this, keys count although they cannot be loaded anew: who issues them may be down for a while. */
const MAX_AGE_OF_FAILURE_MS = 3_600_000;

export class RemoteKeys {
  /** When to load is decided here: on its own it would ask again at each token while the answer is an error. */
  private readonly keySet;
  private loadedAt = Number.NEGATIVE_INFINITY;
  private triedAt = Number.NEGATIVE_INFINITY;
  private loading: Promise<void> | null = null;
  /** Of the last load, `null` where that went well. */
  private failure: StoreUnavailableError | null = null;

  constructor(private readonly options: RemoteKeysOptions) {
    const never = Number.POSITIVE_INFINITY;
    this.keySet = createRemoteJWKSet(new URL(options.url), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: never,
      cacheMaxAge: never,
    });
  }

  /**
   * The one key that fits `alg` and `kid` of a header. Throws `StoreUnavailableError` where that cannot be known now, and
   * the error of the library where the set has no such key, also after it was loaded anew.
   */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    const age = performance.now() - this.loadedAt;
    if (age > MAX_AGE_OF_FAILURE_MS) await this.load();
    else if (age > MAX_AGE_MS) void this.load().catch(() => {});
    try {
      return await this.keySet(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSInvalid) throw this.unavailable(error);
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.load();
      return await this.keySet(header, token);
    }
  }

  /** One load at a time, and a pause after each; in the pause its outcome is the answer. */
  private async load(): Promise<void> {
    if (this.loading !== null) return await this.loading;
    if (performance.now() - this.triedAt < PAUSE_MS) {
      if (this.failure !== null) throw this.failure;
      return;
    }
    this.triedAt = performance.now();
    this.loading = this.loadNow().finally(() => {
      this.loading = null;
    });
    await this.loading;
  }

  private async loadNow(): Promise<void> {
    try {
      await this.keySet.reload();
      this.loadedAt = performance.now();
      this.failure = null;
    } catch (error) {
      this.failure = this.unavailable(error);
      this.options.onFailure(this.failure);
      throw this.failure;
    }
  }

  private unavailable(cause: unknown): StoreUnavailableError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new StoreUnavailableError(`the keys of player tokens cannot be read from ${this.options.url}: ${reason}`, {
      cause,
    });
  }
}
