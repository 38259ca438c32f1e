/** Who may come in: overlay keys and tickets in the database, and what every socket's HELLO is judged by. */

import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { AccessDatabase } from '../access/access-database.js';
import { AccessKeys } from '../access/access-keys.js';
import { KeyWatch } from '../access/key-watch.js';
import { Tickets } from '../access/tickets.js';
import { AccessAuthenticator } from '../gateway/access-authenticator.js';
import { PlayerAuthenticator } from '../gateway/player-authenticator.js';
import type { Authenticator } from '../gateway/principal.js';
import type { Lifecycle } from '../ops/lifecycle.js';
import type { PlayerTokens } from '../ops/player-tokens.js';
import { inTransaction } from '../truth/transaction.js';

export interface AccessStores {
  readonly database: AccessDatabase;
  readonly keys: AccessKeys;
  readonly tickets: Tickets;
}

export function accessStores(pool: Pool): AccessStores {
  const database: AccessDatabase = { transact: (work) => inTransaction(pool, work) };
  return { database, keys: new AccessKeys(database), tickets: new Tickets({ database }) };
}

export interface AuthenticatorOptions {
  readonly access: AccessStores;
  readonly tokens: PlayerTokens;
  readonly isAnonymousAllowed: boolean;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
}

/** With the watch that it needs; to be started before the sockets, so that it stops after them. */
export async function startAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { access, tokens, isAnonymousAllowed, lifecycle, logger } = options;
  const watch = await lifecycle.start(
    'key watch',
    () => new KeyWatch({ database: access.database, logger }),
    (started) => started.close(),
  );
  const players = new PlayerAuthenticator({ tokens, isAnonymousAllowed });
  return new AccessAuthenticator({ players, keys: access.keys, tickets: access.tickets, watch });
}
