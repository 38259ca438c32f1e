/** Player tokens: JWTs whose `sub` is the player id. Sockets and HTTP check them here and nowhere else. */

import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { RankcastError, StartRefusedError, type StoreUnavailableError } from '../domain/errors.js';
import { isValidId } from '../domain/ids.js';
import { RemoteKeys } from './remote-keys.js';

const SECRET_ALGORITHM = 'HS256';
const PUBLIC_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** RFC 7518: the key must have at least the size of the hash. */
const MIN_SECRET_BYTES = 32;
const DEFAULT_GRACE_MS = 25_000;
/** The last moment of `Date`, of which every store knows: tokens that are to last for ever name later ones. */
const MAX_TIME_MS = 8_640_000_000_000_000;

export interface PlayerTokenOptions {
  /** Of HS256 tokens: at least 32 bytes of UTF-8, else `StartRefusedError`. */
  readonly secret: string;
  /** Of RS256, ES256 and EdDSA tokens. Default `null`: these do not count. */
  readonly jwksUrl?: string | null;
  /** The `iss` and `aud` that tokens must have. Default `null`: any. */
  readonly issuer?: string | null;
  readonly audience?: string | null;
  /**
   * How far the clock of whoever signs may differ from ours: a token counts this much longer than its `exp` and earlier than
   * its `nbf`, in whole seconds. Sessions are ended as long after `exp`: were this larger, a token between the two would be
   * greeted and thrown out in a loop. Default 25,000.
   */
  readonly graceMs?: number;
  /** The JWK set could not be loaded. */
  readonly onKeysUnavailable?: (error: StoreUnavailableError) => void;
}

/** Who a token speaks for. */
export interface TokenHolder {
  readonly playerId: string;
  /** The token's own `exp`, epoch milliseconds, without the grace; `null` where it never ends. */
  readonly expiresAt: number | null;
}

/** The token is forged, over, or speaks for nobody; the message says which and holds nothing of the token. */
export class InvalidTokenError extends RankcastError {
  readonly isRetryable = false;
}

export class PlayerTokens {
  private readonly secret: Uint8Array;
  private readonly publicKeys: RemoteKeys | null;

  constructor(private readonly options: PlayerTokenOptions) {
    const { secret, jwksUrl = null, onKeysUnavailable = () => {} } = options;
    this.secret = new TextEncoder().encode(secret);
    if (this.secret.byteLength < MIN_SECRET_BYTES) {
      throw new StartRefusedError(`the secret of player tokens has fewer than ${MIN_SECRET_BYTES} bytes`);
    }
    this.publicKeys = jwksUrl === null ? null : new RemoteKeys({ url: jwksUrl, onFailure: onKeysUnavailable });
  }

  /**
   * Throws `InvalidTokenError`, or `StoreUnavailableError` where the key of the token cannot be read now.
   * A token without `exp` is taken.
   */
  async verify(token: string): Promise<TokenHolder> {
    const { sub, exp } = await this.readClaims(token);
    if (typeof sub !== 'string' || !isValidId(sub)) {
      throw new InvalidTokenError('the token names no player: sub must be the player id, as text');
    }
    return { playerId: sub, expiresAt: exp === undefined ? null : Math.min(exp * 1_000, MAX_TIME_MS) };
  }

  /** A token that ends `lifetimeSec` from now: for the demo, tests and tools. */
  async sign(playerId: string, lifetimeSec: number): Promise<string> {
    const { issuer = null, audience = null } = this.options;
    const nowSec = Math.floor(Date.now() / 1_000);
    const claims = { ...(issuer === null ? {} : { iss: issuer }), ...(audience === null ? {} : { aud: audience }) };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: SECRET_ALGORITHM })
      .setSubject(playerId)
      .setIssuedAt(nowSec)
      .setExpirationTime(nowSec + lifetimeSec)
      .sign(this.secret);
  }

  private async readClaims(token: string): Promise<JWTPayload> {
    const { secret, publicKeys } = this;
    const { issuer = null, audience = null, graceMs = DEFAULT_GRACE_MS } = this.options;
    const checks = {
      ...(issuer === null ? {} : { issuer }),
      ...(audience === null ? {} : { audience }),
      clockTolerance: graceMs / 1_000,
    };
    try {
      if (publicKeys === null) {
        return (await jwtVerify(token, secret, { ...checks, algorithms: [SECRET_ALGORITHM] })).payload;
      }
      // The algorithm chooses where the key comes from: a public key is never taken for the secret of HS256.
      const algorithms = [SECRET_ALGORITHM, ...PUBLIC_ALGORITHMS];
      return (
        await jwtVerify(
          token,
          async (header, input) => (header.alg === SECRET_ALGORITHM ? secret : await publicKeys.find(header, input)),
          { ...checks, algorithms },
        )
      ).payload;
    } catch (error) {
      throw error instanceof errors.JOSEError ? new InvalidTokenError(reasonOf(error)) : error;
    }
  }
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired: get a new one';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'the token names no kid, and several keys would fit';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf') return 'the token does not count yet';
    return `the token has the wrong ${claimName(error.claim)}`;
  }
  return 'the token is not one of this server';
}

/** Names of claims are the sender's words. */
function claimName(claim: string): string {
  return claim === 'iss' || claim === 'aud' || claim === 'exp' ? claim : 'claims';
}
