/** The end of a session's token: a newer one is asked for in time and sent with REFRESH, as often as it takes. */

import { FrameType, type RefreshFrame, type ServerFrame } from '../../proto/frames.js';
import type { ClientOptions } from './api.js';
import { Backoff } from './backoff.js';
import type { Clock } from './clock.js';
import { isRetryableCode, LeaderboardError, LOCAL_ERROR } from './errors.js';

/** `expiresInMs` cannot say more: the end is then or later. */
const LATER_MS = 2 ** 32 - 1;
const REFRESH_AT = 0.8;
const REFRESH_BEFORE_END_MS = 60_000;
/** While the application has no newer token, and where it fails. */
const ASK_AGAIN_MS = 5_000;
const ASK_TIMEOUT_MS = 8_000;
const ANSWER_TIMEOUT_MS = 5_000;
/** Between two refreshes, however short tokens live. */
const LEAST_MS = 1_000;
const DEFAULT_RETRY_MS = 1_000;

export interface TokenRefreshLink {
  readonly clock: Clock;
  readonly random: () => number;
  readonly getToken: ClientOptions['getToken'];
  nextReqId(): number;
  send(frame: RefreshFrame): void;
  /** The token is over: private windows get nothing more. */
  silenced(): void;
  /** A newer token counts. */
  refreshed(): void;
  failed(error: LeaderboardError): void;
}

export class TokenRefresh {
  /** What the server counts. */
  private token: string | null;
  private offered = '';
  private readonly refused = new Set<string>();
  /** A late answer to the first of two is an answer. */
  private readonly asked = new Set<number>();
  /** Grows with each question to the application, so that a late answer is known as one. */
  private question = 0;
  private stopTimer: () => void = () => undefined;
  private stopEnd: () => void = () => undefined;
  private readonly backoff: Backoff;
  private readonly link: TokenRefreshLink;

  constructor(token: string | null, link: TokenRefreshLink) {
    this.token = token;
    this.link = link;
    this.backoff = new Backoff(link.random);
  }

  /** `expiresInMs` of WELCOME; `null`: it never ends. At once where it is over. */
  start(expiresInMs: number | null): void {
    this.schedule(expiresInMs, 0);
  }

  stop(): void {
    this.question += 1;
    this.stopTimer();
    this.stopEnd();
  }

  /** Whether the frame was an answer to a REFRESH. */
  take(frame: ServerFrame): boolean {
    if (frame[0] === FrameType.refreshed && this.asked.has(frame[1])) {
      this.refreshed(frame[2] ?? null);
      return true;
    }
    if (frame[0] === FrameType.error && this.asked.has(frame[1])) {
      this.notRefreshed(frame[2], frame[3], frame[4] ?? null);
      return true;
    }
    return false;
  }

  private schedule(expiresInMs: number | null, leastMs: number): void {
    this.stop();
    if (expiresInMs === null) return;
    const { clock, getToken, silenced } = this.link;
    if (expiresInMs === 0) silenced();
    else if (expiresInMs < LATER_MS) this.stopEnd = clock.after(expiresInMs, silenced);
    if (getToken === undefined) return;
    const dueMs = Math.max(expiresInMs * REFRESH_AT, expiresInMs - REFRESH_BEFORE_END_MS, leastMs);
    if (dueMs === 0) this.ask();
    else this.stopTimer = clock.after(dueMs, () => this.ask());
  }

  private ask(): void {
    this.question += 1;
    const { question } = this;
    this.stopTimer = this.link.clock.after(ASK_TIMEOUT_MS, () => this.askFailed(undefined));
    this.askToken().then(
      (token) => {
        if (question === this.question) this.offer(token);
      },
      (cause: unknown) => {
        if (question === this.question) this.askFailed(cause);
      },
    );
  }

  private async askToken(): Promise<string | null> {
    return (await this.link.getToken?.()) ?? null;
  }

  private askFailed(cause: unknown): void {
    this.askAgain();
    const reason = cause === undefined ? `gave no answer in ${ASK_TIMEOUT_MS / 1_000} s` : 'failed';
    const message = `getToken ${reason} when the token was to be refreshed; asking again`;
    this.link.failed(new LeaderboardError(LOCAL_ERROR, message, { retryable: true, cause }));
  }

  private askAgain(): void {
    this.question += 1;
    this.stopTimer();
    this.stopTimer = this.link.clock.after(ASK_AGAIN_MS, () => this.ask());
  }

  private offer(token: string | null): void {
    if (token === null || token === this.token || this.refused.has(token)) return this.askAgain();
    this.offered = token;
    this.send();
  }

  private send(): void {
    const reqId = this.link.nextReqId();
    this.asked.add(reqId);
    this.stopTimer();
    this.stopTimer = this.link.clock.after(ANSWER_TIMEOUT_MS, () => this.send());
    this.link.send([FrameType.refresh, reqId, this.offered]);
  }

  private refreshed(expiresInMs: number | null): void {
    this.asked.clear();
    this.token = this.offered;
    this.backoff.reset();
    // 0: it was taken, but is over as well.
    if (expiresInMs !== 0) this.link.refreshed();
    this.schedule(expiresInMs, expiresInMs === 0 ? ASK_AGAIN_MS : LEAST_MS);
  }

  /** The old token counts until its end; an error of the moment refuses nothing. */
  private notRefreshed(code: number, message: string, retryAfterMs: number | null): void {
    this.asked.clear();
    const retryable = isRetryableCode(code);
    if (retryable) {
      this.stopTimer();
      const waitMs = Math.max(retryAfterMs ?? DEFAULT_RETRY_MS, this.backoff.next());
      this.stopTimer = this.link.clock.after(waitMs, () => this.send());
    } else {
      this.refused.add(this.offered);
      this.askAgain();
    }
    this.link.failed(new LeaderboardError(code, message, { retryable, retryAfterMs }));
  }
}
