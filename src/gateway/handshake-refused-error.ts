/** Why a socket is not opened; each reason is a stable `/problems/<reason>` and a label of metrics. */

const STATUS = {
  'unknown-subprotocol': '400 Bad Request',
  'bad-credential': '400 Bad Request',
  'forbidden-origin': '403 Forbidden',
  'address-full': '429 Too Many Requests',
  'address-too-fast': '429 Too Many Requests',
  'server-full': '503 Service Unavailable',
  'server-too-fast': '503 Service Unavailable',
} as const;

export type HandshakeRefusal = keyof typeof STATUS;

/** Becomes the HTTP answer to a handshake; the message is its `detail`: what is wrong and what to do, nothing of the input. */
export class HandshakeRefusedError extends Error {
  constructor(
    readonly reason: HandshakeRefusal,
    message: string,
    /** When another attempt makes sense; `null`: never as it is. */
    readonly retryAfterSec: number | null = null,
  ) {
    super(message);
  }

  get isRetryable(): boolean {
    return this.retryAfterSec !== null;
  }

  /** Status line of HTTP. */
  get status(): string {
    return STATUS[this.reason];
  }

  /** As RFC 9457 has it. */
  get problem(): { type: string; title: string; status: number; detail: string } {
    const [status = '', ...title] = this.status.split(' ');
    return { type: `/problems/${this.reason}`, title: title.join(' '), status: Number(status), detail: this.message };
  }
}
