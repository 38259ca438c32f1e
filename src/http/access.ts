/** Who may do what: bearer tokens of players and of game servers, and overlay keys. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { KEY_PREFIX, type TicketHolder } from '../domain/access-key.js';
import { InvalidTokenError } from '../ops/player-tokens.js';
import type { HttpRequest } from './http.js';
import { Problem } from './problem.js';
import type { KeyStore, TokenVerifier } from './stores.js';

export interface AccessOptions {
  readonly tokens: TokenVerifier;
  readonly keys: Pick<KeyStore, 'find'>;
  /** `null`: nobody is a game server. */
  readonly ingestToken: string | null;
}

export class Access {
  private readonly tokens: TokenVerifier;
  private readonly keys: Pick<KeyStore, 'find'>;
  private readonly ingestDigest: Buffer | null;

  constructor(options: AccessOptions) {
    this.tokens = options.tokens;
    this.keys = options.keys;
    this.ingestDigest = options.ingestToken === null ? null : digest(options.ingestToken);
  }

  /** Throws a 401 or 403 `Problem` unless a game server asks. */
  requireGameServer(request: HttpRequest): void {
    if (this.ingestDigest === null) {
      throw new Problem('forbidden', 'this server has no ingest token, so nobody may do here what game servers may');
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

  /** Whoever may open a socket. Throws a 401 `Problem` for everybody else. */
  async requireHolder(request: HttpRequest): Promise<TicketHolder> {
    const token = readBearer(request);
    if (!token.startsWith(KEY_PREFIX)) {
      const { playerId, expiresAt } = await this.verify(token);
      return { kind: 'player', playerId, expiresAt };
    }
    const key = await this.keys.find(token);
    if (key === null) throw unauthorized('this is no key of this server', 'invalid_token');
    if (key.isOver) throw unauthorized('the key was revoked or has come to its end', 'invalid_token');
    return { kind: 'key', keyId: key.keyId };
  }

  private async requireOwn(token: string, playerId: string): Promise<void> {
    const holder = await this.verify(token);
    if (holder.playerId !== playerId) throw new Problem('forbidden', 'the token is that of another player');
  }

  private async verify(token: string) {
    return await this.tokens.verify(token).catch((error: unknown) => {
      throw error instanceof InvalidTokenError ? unauthorized(error.message, 'invalid_token') : error;
    });
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
