/** A socket whose client reads JSON: frames, which sessions share as msgpack, are written anew for each send. */

import type { CloseCode } from '../../proto/close-codes.js';
import { jsonOfFrame } from '../wire/json.js';
import type { SendResult, Socket } from './socket.js';

export class JsonSocket implements Socket {
  /** `socket` sends what it gets as text. */
  constructor(private readonly socket: Socket) {}

  send(frame: Uint8Array): SendResult {
    return this.socket.send(jsonOfFrame(frame));
  }

  cork(write: () => void): void {
    this.socket.cork(write);
  }

  bufferedBytes(): number {
    return this.socket.bufferedBytes();
  }

  close(code: CloseCode, reason: string): void {
    this.socket.close(code, reason);
  }
}
