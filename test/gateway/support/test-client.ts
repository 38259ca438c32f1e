/** A client on a session in memory: the folds of the SDK, and a record of every frame. */

import {
  type ClientFrame,
  FrameType,
  MAX_SERVER_FRAME_BYTES,
  type ServerFrame,
  SubscribeStart,
  WindowKind,
} from '../../../proto/frames.js';
import { PlacedWindow } from '../../../src/client/placed-window.js';
import { RankWindow } from '../../../src/client/rank-window.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { UnplacedWindow } from '../../../src/client/unplaced-window.js';
import type { Handshake } from '../../../src/gateway/principal.js';
import { Session } from '../../../src/gateway/session.js';
import { FIRST_OWN_TOPIC } from '../../../src/gateway/windows.js';
import { encodeFrame } from '../../../src/wire/encode.js';
import { BARE_HANDSHAKE, type GatewayRig } from './gateway-rig.js';
import { MemorySocket } from './memory-socket.js';

type Fold = PlacedWindow | UnplacedWindow | RankWindow;

export class TestClient {
  readonly socket = new MemorySocket();
  readonly session: Session;
  readonly frames: ServerFrame[] = [];
  readonly windows = new Map<number, Fold>();
  /** Frames that a client would have had to answer with RESYNC, or could not place at all. */
  readonly troubles: string[] = [];
  private readonly asked = new Map<number, Fold>();
  private lastReqId = 0;

  constructor(rig: Pick<GatewayRig, 'sessionOptions'>, handshake: Handshake = BARE_HANDSHAKE) {
    this.session = new Session(rig.sessionOptions, this.socket, handshake);
    this.socket.onSent = (bytes) => this.take(bytes);
  }

  send(frame: ClientFrame | readonly unknown[]): void {
    this.session.received(encodeFrame(frame as ClientFrame));
  }

  hello(token: string | null = null, caps = 3): void {
    this.send([FrameType.hello, token, 'test/1', caps]);
  }

  /** Answers the reqId. */
  refresh(token: string): number {
    this.lastReqId += 1;
    this.send([FrameType.refresh, this.lastReqId, token]);
    return this.lastReqId;
  }

  /** Answers the reqId. A window that came from an earlier subscription is brought along with its position. */
  subscribe(kind: number, args: readonly unknown[] = [], listId = 'arena', held?: Fold): number {
    this.lastReqId += 1;
    this.asked.set(this.lastReqId, held ?? newFold(kind));
    const { epoch = null, seq = null } = held?.position ?? {};
    this.send([FrameType.subscribe, this.lastReqId, kind, listId, args, epoch, seq]);
    return this.lastReqId;
  }

  top(topic = this.topicOf(PlacedWindow)): PlacedWindow {
    return this.window(topic, PlacedWindow);
  }

  /** Windows around players are the session's own, unlike tops. */
  around(): PlacedWindow {
    const found = [...this.windows].find(([topic, fold]) => topic >= FIRST_OWN_TOPIC && fold instanceof PlacedWindow);
    if (found === undefined) throw new Error('no window around anybody');
    return this.window(found[0], PlacedWindow);
  }

  friends(topic = this.topicOf(UnplacedWindow)): UnplacedWindow {
    return this.window(topic, UnplacedWindow);
  }

  me(topic = this.topicOf(RankWindow)): RankWindow {
    return this.window(topic, RankWindow);
  }

  /** The answer to a request, `undefined` while there is none. */
  answer(reqId: number): ServerFrame | undefined {
    return this.frames.find(
      (frame) =>
        (frame[0] === FrameType.subscribed ||
          frame[0] === FrameType.unsubscribed ||
          frame[0] === FrameType.refreshed ||
          frame[0] === FrameType.error) &&
        frame[1] === reqId,
    );
  }

  topic(reqId: number): number {
    const answer = this.answer(reqId);
    if (answer?.[0] !== FrameType.subscribed) throw new Error(`not subscribed but ${JSON.stringify(answer)}`);
    return answer[2];
  }

  types(): number[] {
    return this.frames.map((frame) => frame[0]);
  }

  /** Forgets the frames so far, so that a test sees only what comes from here on. */
  clear(): void {
    this.frames.length = 0;
    this.socket.sent.length = 0;
  }

  private topicOf(kind: new (playerId: () => string | null) => Fold): number {
    const found = [...this.windows].find(([, fold]) => fold instanceof kind);
    if (found === undefined) throw new Error('no such window');
    return found[0];
  }

  private window<W extends Fold>(topic: number, kind: new (playerId: () => string | null) => W): W {
    const fold = this.windows.get(topic);
    if (fold instanceof kind) return fold;
    throw new Error(`no such window on topic ${topic}`);
  }

  private take(bytes: Uint8Array): void {
    if (bytes.byteLength > MAX_SERVER_FRAME_BYTES) this.troubles.push(`a frame of ${bytes.byteLength} bytes`);
    for (const frame of readFrames(bytes)) {
      this.frames.push(frame);
      this.fold(frame);
    }
  }

  private fold(frame: ServerFrame): void {
    if (frame[0] === FrameType.subscribed) {
      const fold = this.asked.get(frame[1]);
      if (fold === undefined) this.troubles.push(`SUBSCRIBED to ${frame[1]}`);
      else if (this.windows.get(frame[2]) === undefined) this.windows.set(frame[2], fold);
      if (frame[3] === SubscribeStart.current) fold?.resume(frame[5]);
    }
    if (frame[0] === FrameType.unsubscribed) this.windows.delete(frame[2]);
    if (frame[0] !== FrameType.snapshot && frame[0] !== FrameType.delta && frame[0] !== FrameType.rank) return;
    const window = this.windows.get(frame[1]);
    if (window === undefined) this.troubles.push(`frame ${frame[0]} of topic ${frame[1]} that is not subscribed`);
    else if (window.apply(frame, null) === 'gap') this.troubles.push(`gap at ${JSON.stringify(frame)}`);
  }
}

function newFold(kind: number): Fold {
  if (kind === WindowKind.me) return new RankWindow(() => null);
  return kind === WindowKind.friends || kind === WindowKind.players ? new UnplacedWindow() : new PlacedWindow();
}
