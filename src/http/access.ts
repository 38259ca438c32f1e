/** Who may do what: bearer tokens of players and of game servers. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { InvalidTokenError } from '../ops/player-tokens.js';
import type { HttpRequest } from './http.js';
import { Problem } from './problem.js';
import type { TokenVerifier } from './stores.js';

export interface AccessOptions {
  readonly tokens: TokenVerifier;
  /** `null`: nobody is a game server. */
  readonly ingestToken: string | null;
}

export class Access {
  private readonly tokens: TokenVerifier;
  private readonly ingestDigest: Buffer | null;

  constructor(options: AccessOptions) {
    this.tokens = options.tokens;
    this.ingestDigest = options.ingestToken === null ? null : digest(options.ingestToken);
  }

  /** Throws a 401 or 403 `Problem` unless a game server asks. */
  requireGameServer(request: HttpRequest): void {
    if (this.ingestDigest === null) {
      throw new Problem('forbidden', 'this server has no ingest token, so nobody may send results here');
    }
    const token = readBearer(request);
    if (!this.isIngestToken(token)) throw unauthorized('this is not the ingest token', 'invalid_token');
  }

  /** Throws a 401 or 403 `Problem` unless the player asks for himself. */
  async requirePlayer(request: HttpRequest, playerId: string): Promise<void> {
    await this.requireOwn(readBearer(request), playerId);
  }

  /** Throws a 401 or 403 `Problem` unless the player asks for himself or a game server asks. */
  async requirePlayerOrGameServer(request: HttpRequest, playerId: string): Promise<void> {
    const token = readBearer(request);
    if (!this.isIngestToken(token)) await this.requireOwn(token, playerId);
  }

  private async requireOwn(token: string, playerId: string): Promise<void> {
    const holder = await this.tokens.verify(token).catch((error: unknown) => {
      throw error instanceof InvalidTokenError ? unauthorized(error.message, 'invalid_token') : error;
    });
    if (holder.playerId !== playerId) throw new Problem('forbidden', 'the token is that of another player');
  }

  /** In constant time: digests have one length, whatever was sent. */
  private isIngestToken(token: string): boolean {
    return this.ingestDigest !== null && timingSafeEqual(this.ingestDigest, digest(token));
  }
}

function readBearer(request: HttpRequest): string {
  const [, token] = /^Bearer +(\S+) *$/i.exec(request.header('authorization') ?? '') ?? [];
  if (token === undefined) throw unauthorized('send Authorization: Bearer <token>', null);
  return token;
}

function unauthorized(detail: string, error: string | null): Problem {
  const challenge = error === null ? 'Bearer' : `Bearer error="${error}"`;
  return new Problem('unauthorized', detail, { headers: { 'www-authenticate': challenge } });
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
