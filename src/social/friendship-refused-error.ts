/** The refusal of a friendship that can never be stored as asked. */

import { RankcastError } from '../domain/errors.js';

/**
 * `own_friend`: a player and itself. `bad_id`: not a legal player id.
 * `friend_limit`: one of the two has as many friends as a list may have.
 */
export type FriendshipRefusal = 'own_friend' | 'bad_id' | 'friend_limit';

export class FriendshipRefusedError extends RankcastError {
  readonly isRetryable = false;
  constructor(
    readonly code: FriendshipRefusal,
    message: string,
  ) {
    super(message);
  }
}
