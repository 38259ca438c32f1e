/** Writes friendships as tests say it: only whether something changed. */

import { FriendshipPostgres } from '../../src/social/friendship-postgres.js';

export class FriendshipWriter extends FriendshipPostgres {
  async add(playerId: string, friendId: string): Promise<boolean> {
    return (await this.change({ kind: 'friend-added', playerId, friendId })) !== null;
  }

  async remove(playerId: string, friendId: string): Promise<boolean> {
    return (await this.change({ kind: 'friend-removed', playerId, friendId })) !== null;
  }
}
