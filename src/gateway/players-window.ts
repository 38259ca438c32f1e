/** A watch list: players whom the client names, for games whose friends live elsewhere. */

import type { TrackedPlayer } from '../views/tracked-player.js';
import type { BoardHub } from './board-hub.js';
import { RowsWindow } from './rows-window.js';
import type { PlayersRequest, WindowRequest } from './window-request.js';
import { type MovingWindowOwner, WindowPriority } from './windows.js';

export class PlayersWindow extends RowsWindow {
  /** They stay the objects that they are while they are watched, also through a reload. */
  private watched: readonly TrackedPlayer[] | null = null;

  constructor(
    number: number,
    hub: BoardHub,
    owner: MovingWindowOwner,
    private readonly request: PlayersRequest,
  ) {
    super(number, hub, owner);
  }

  get kind() {
    return 'players' as const;
  }

  get priority(): number {
    return WindowPriority.friends;
  }

  isFor(hub: BoardHub, request: WindowRequest): boolean {
    if (this.hub !== hub || request.kind !== this.kind) return false;
    const { ids } = this.request;
    return ids.length === request.ids.length && ids.every((id, index) => id === request.ids[index]);
  }

  /** Begins to watch; throws StoreUnavailableError. */
  async open(): Promise<void> {
    this.hub.add(this);
    const players = await this.hub.view.watch(this.request.ids, this);
    if (this.isClosed) return this.hub.view.unwatch(players, this);
    this.watched = players;
    this.seq = this.hub.view.seq;
    this.invalidate();
  }

  protected get isOpen(): boolean {
    return this.watched !== null;
  }

  protected players(): readonly TrackedPlayer[] {
    return this.watched ?? [];
  }

  close(): void {
    this.isClosed = true;
    this.hub.remove(this);
    this.hub.view.unwatch(this.players(), this);
    this.watched = null;
  }
}
