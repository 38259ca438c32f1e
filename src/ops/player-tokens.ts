/** Player tokens: JWTs, HS256, whose `sub` is the player id. Sockets and HTTP check them here and nowhere else. */

import { errors, jwtVerify, SignJWT } from 'jose';
import { RankcastError, StartRefusedError } from '../domain/errors.js';
import { isValidId } from '../domain/ids.js';

const ALGORITHM = 'HS256';
/** RFC 7518: the key must have at least the size of the hash. */
const MIN_SECRET_BYTES = 32;
/**
 * How far the clock of whoever signs may differ from ours: a token counts this much longer than it says.
 * Sessions are ended as long after `exp` (PROTOCOL.md 3.6). Were this larger, a token between the two would be greeted and thrown out in a loop.
 */
export const CLOCK_TOLERANCE_SEC = 25;

/** Who a token speaks for. */
export interface TokenHolder {
  readonly playerId: string;
  /** The token's own `exp`, epoch milliseconds, without the tolerance; `null` where it never ends. */
  readonly expiresAt: number | null;
}

/** The token is forged, over, or speaks for nobody; the message says which and holds nothing of the token. */
export class InvalidTokenError extends RankcastError {
  readonly isRetryable = false;
}

export class PlayerTokens {
  private readonly key: Uint8Array;

  /** `secret`: at least 32 bytes of UTF-8, else `StartRefusedError`. */
  constructor(secret: string) {
    this.key = new TextEncoder().encode(secret);
    if (this.key.byteLength < MIN_SECRET_BYTES) {
      throw new StartRefusedError(`the secret of player tokens has fewer than ${MIN_SECRET_BYTES} bytes`);
    }
  }

  /** Throws `InvalidTokenError`. A token without `exp` is taken; `nbf` is kept to, with the same tolerance. */
  async verify(token: string): Promise<TokenHolder> {
    const { sub, exp } = await this.readClaims(token);
    if (typeof sub !== 'string' || !isValidId(sub)) {
      throw new InvalidTokenError('the token names no player: sub must be the player id, as text');
    }
    return { playerId: sub, expiresAt: exp === undefined ? null : exp * 1_000 };
  }

  /** A token that ends `lifetimeSec` from now: for the demo, tests and tools. */
  async sign(playerId: string, lifetimeSec: number): Promise<string> {
    const nowSec = Math.floor(Date.now() / 1_000);
    return new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM })
      .setSubject(playerId)
      .setIssuedAt(nowSec)
      .setExpirationTime(nowSec + lifetimeSec)
      .sign(this.key);
  }

  private async readClaims(token: string) {
    try {
      // The algorithm is pinned: a token must not choose how it is checked.
      const options = { algorithms: [ALGORITHM], clockTolerance: CLOCK_TOLERANCE_SEC };
      return (await jwtVerify(token, this.key, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new InvalidTokenError('the token has expired: get a new one');
      if (error instanceof errors.JOSEError) throw new InvalidTokenError('the token is not one of this server');
      throw error;
    }
  }
}
