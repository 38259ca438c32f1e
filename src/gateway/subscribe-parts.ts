/**
 * SUBSCRIBE whose ids come in several frames, since a client's frames are small: all but the last say `more`, and all have one reqId.
 * One request can be begun at a time; another SUBSCRIBE gives it up.
 */

import { ErrorCode, type SubscribeFrame, WindowKind } from '../../proto/frames.js';
import { RefusedError } from './refusal.js';

/** Players that a watch list may name. */
export const MAX_WATCHED_PLAYERS = 1_000;

export class SubscribeParts {
  private begun: { readonly reqId: number; readonly kind: number; readonly listId: string; ids: unknown[] } | null =
    null;
  /** A request that was refused before its last frame: what still comes of it is no new one. */
  private refused = 0;

  /** The request as one frame, `null` where more of it is to come. Throws RefusedError. */
  take(frame: SubscribeFrame): SubscribeFrame | null {
    const [, reqId, kind, listId, , epoch = null, seq = null, interval = null, more = false] = frame;
    if (reqId === this.refused) {
      if (more !== true) this.refused = 0;
      return null;
    }
    this.refused = 0;
    const begun = this.begun?.reqId === reqId ? this.begun : null;
    this.begun = null;
    if (begun === null && more !== true) return frame;
    try {
      const ids = this.join(begun, frame);
      if (more !== true) return [frame[0], reqId, kind, listId, [ids], epoch, seq, interval];
      this.begun = { reqId, kind, listId, ids };
      return null;
    } catch (error) {
      if (more === true) this.refused = reqId;
      throw error;
    }
  }

  private join(begun: SubscribeParts['begun'], [, , kind, listId, [ids]]: SubscribeFrame): unknown[] {
    const isSame = begun === null || (begun.kind === kind && begun.listId === listId);
    if (kind !== WindowKind.players || !isSame || !Array.isArray(ids)) {
      throw new RefusedError(ErrorCode.badArgument, 'only the ids of one watch list come in parts, each an array');
    }
    const joined = [...(begun?.ids ?? []), ...(ids as unknown[])];
    if (joined.length > MAX_WATCHED_PLAYERS) throw tooManyPlayers();
    return joined;
  }
}

export function tooManyPlayers(): RefusedError {
  return new RefusedError(ErrorCode.tooLarge, `a watch list names at most ${MAX_WATCHED_PLAYERS} players`);
}
