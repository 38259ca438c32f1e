/** The run as a game server: what it may send over HTTP with the ingest token. */

import { setTimeout as sleep } from 'node:timers/promises';
import { VerifyError } from './verify-error.js';

export interface Rejected {
  readonly index: number;
  readonly code: string;
}

const TRIES = 20;
const PAUSE_MS = 500;
const ANSWER_WITHIN_MS = 30_000;

export class GameServer {
  constructor(
    private readonly url: string,
    private readonly ingestToken: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Durable when it resolves. Answers which were refused. */
  async send(results: readonly object[]): Promise<readonly Rejected[]> {
    const response = await this.call('POST', '/v1/results', results);
    if (response.status !== 202 && response.status !== 422) throw await unexpected('POST /v1/results', response);
    const { rejected } = (await response.json()) as { rejected?: readonly Rejected[] };
    return rejected ?? [];
  }

  async void(matchId: string, playerId: string): Promise<void> {
    await this.order('POST', `/v1/results/${encodeURIComponent(matchId)}/${encodeURIComponent(playerId)}/void`);
  }

  async correct(matchId: string, playerId: string, mode: string, points: object): Promise<void> {
    const path = `/v1/results/${encodeURIComponent(matchId)}/${encodeURIComponent(playerId)}/correct`;
    await this.order('POST', path, { mode, points });
  }

  async setHidden(playerId: string, isHidden: boolean): Promise<void> {
    await this.order(isHidden ? 'PUT' : 'DELETE', `/v1/players/${encodeURIComponent(playerId)}/hidden`);
  }

  async setFriends(playerId: string, friendId: string, areFriends: boolean): Promise<void> {
    const path = `/v1/players/${encodeURIComponent(playerId)}/friends/${encodeURIComponent(friendId)}`;
    await this.order(areFriends ? 'PUT' : 'DELETE', path);
  }

  private async order(method: string, path: string, body?: object): Promise<void> {
    const response = await this.call(method, path, body);
    if (!response.ok) throw await unexpected(`${method} ${path}`, response);
    await response.arrayBuffer();
  }

  /** All calls are harmless when repeated, so a server that is away for a while is asked again. */
  private async call(method: string, path: string, body?: object): Promise<Response> {
    for (let tries = 1; ; tries++) {
      try {
        const response = await fetch(`${this.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${this.ingestToken}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
        });
        if (response.status !== 503 || tries === TRIES) return response;
        await response.arrayBuffer();
      } catch (error) {
        if (this.signal.aborted) throw error;
        if (tries === TRIES) throw new VerifyError(`${this.url} does not answer: ${describe(error)}`, { cause: error });
      }
      await sleep(PAUSE_MS, undefined, { signal: this.signal });
    }
  }
}

async function unexpected(call: string, response: Response): Promise<VerifyError> {
  const said = (await response.text()).slice(0, 300);
  const hint =
    response.status === 401 || response.status === 403 ? '; RANKCAST_INGEST_TOKEN must be that of the server' : '';
  return new VerifyError(`${call} was answered ${response.status}: ${said}${hint}`);
}

/** What fetch throws says little; its cause says what happened. */
export function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
