/** Whoever issues tokens: signing keys, and a JWK set of their public halves over HTTP. */

import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

interface SigningKey {
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

export class KeyServer {
  /** Requests so far. */
  requests = 0;
  /** Answers in place of the key set. */
  answer: ((response: ServerResponse) => void) | null = null;
  private readonly keys = new Map<string, SigningKey>();
  private readonly published = new Set<string>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((_, response) => {
      this.requests += 1;
      if (this.answer !== null) return this.answer(response);
      response.setHeader('content-type', 'application/jwk-set+json');
      response.end(JSON.stringify({ keys: [...this.published].map((kid) => this.publicJwk(kid)) }));
    });
  }

  static async start(): Promise<KeyServer> {
    const started = new KeyServer();
    await started.listen(0);
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/jwks.json`;
  }

  private port = 0;

  /** A new key; `isPublished`: in the set from now on. */
  async add(kid: string, alg: string, isPublished = true): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    this.keys.set(kid, { alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } });
    if (isPublished) this.published.add(kid);
  }

  publish(kid: string): void {
    this.published.add(kid);
  }

  withdraw(kid: string): void {
    this.published.delete(kid);
  }

  publicJwk(kid: string): JWK {
    return this.key(kid).publicJwk;
  }

  /** `header`: in place of the key's own. */
  async sign(kid: string, claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
    const { alg, privateKey } = this.key(kid);
    return await new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** On the port that it had. */
  async startAgain(): Promise<void> {
    await this.listen(this.port);
  }

  private async listen(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private key(kid: string): SigningKey {
    const key = this.keys.get(kid);
    if (key === undefined) throw new Error(`no key ${kid}`);
    return key;
  }
}
