/** A socket in memory: keeps what is sent, answers as the test says. */

import type { SendResult, Socket } from '../../../src/gateway/socket.js';

export class MemorySocket implements Socket {
  readonly sent: Uint8Array[] = [];
  readonly closes: { readonly code: number; readonly reason: string }[] = [];
  corkCount = 0;
  /** What `send` answers from now on. */
  answer: SendResult = 'sent';
  /** What `bufferedBytes` answers. */
  buffered = 0;
  /** Called with what went out; not with what was dropped. */
  onSent: (bytes: Uint8Array) => void = () => {};

  send(frame: Uint8Array): SendResult {
    const { answer } = this;
    if (answer === 'dropped') return answer;
    this.sent.push(frame);
    this.onSent(frame);
    return answer;
  }

  cork(write: () => void): void {
    this.corkCount += 1;
    write();
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  close(code: number, reason: string): void {
    this.closes.push({ code, reason });
  }

  get closeCode(): number | undefined {
    return this.closes[0]?.code;
  }
}
