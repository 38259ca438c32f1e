/** What the windows have in common that are a session's own: a number, a place in the history, and a SYNC that is wanted. */

import { SubscribeStart } from '../../proto/frames.js';
import type { PlayerWatcher, TrackedPlayer } from '../views/tracked-player.js';
import type { BoardHub, HubWindow } from './board-hub.js';
import type { RefusedError } from './refusal.js';
import type { WindowRequest } from './window-request.js';
import { FIRST_OWN_TOPIC, type MovingWindow, type MovingWindowOwner } from './windows.js';

export abstract class OwnWindow<Owner extends MovingWindowOwner = MovingWindowOwner>
  implements MovingWindow, HubWindow, PlayerWatcher
{
  watcherNumber = 0;
  seq = 0;
  syncAt = 0;
  protected wantsSync = false;
  /** Of the hub, as it was described to the client last. */
  private describedVersion = 0;

  constructor(
    /** Among the session's own windows. */
    private readonly number: number,
    readonly hub: BoardHub,
    protected readonly owner: Owner,
  ) {}

  abstract readonly kind: WindowRequest['kind'];
  abstract readonly priority: number;

  get topic(): number {
    return FIRST_OWN_TOPIC + this.number;
  }

  get isShared(): boolean {
    return false;
  }

  get epoch(): number {
    return this.hub.wireEpoch;
  }

  /** Always with the whole state: seq counts neither ranks that others moved nor a list of friends. */
  begin(): SubscribeStart {
    this.describedVersion = this.hub.version;
    this.invalidate();
    return SubscribeStart.snapshot;
  }

  reset(): void {
    this.invalidate();
    this.owner.pending(this, null);
  }

  tiersMoved(): void {}

  ended(why: RefusedError): void {
    this.owner.ended(this, why);
  }

  /** BOARD, where the hub has come to be another list since it was described. */
  protected collectBoard(frames: Uint8Array[]): void {
    if (this.describedVersion === this.hub.version) return;
    this.describedVersion = this.hub.version;
    frames.push(this.hub.boardFrame(this.topic));
  }

  sync(): void {
    this.wantsSync = true;
    this.owner.pending(this, null);
  }

  abstract isFor(hub: BoardHub, request: WindowRequest): boolean;
  abstract invalidate(): void;
  abstract playerMoved(player: TrackedPlayer, at: number | null): void;
  abstract takeMoves(): void;
  abstract collect(frames: Uint8Array[]): void;
  abstract close(): void;
}
