/** Overlay keys and one-time tickets: what a key opens, and for whom a ticket speaks. */

/** Tells a key from a player's token wherever either may stand. */
export const KEY_PREFIX = 'rck_';

/** What a key may open, by the names of the window kinds. */
export const KEY_WINDOWS = ['top', 'me', 'friends', 'players', 'around'] as const;
export type KeyWindow = (typeof KEY_WINDOWS)[number];

export interface KeyBindings {
  /** For people: which screen it is on. */
  readonly title: string;
  /** Board ids; of each every season. */
  readonly boards: readonly string[];
  readonly windows: readonly KeyWindow[];
  /** Whose `me` and `friends`; `null` only where `windows` has neither. */
  readonly playerId: string | null;
}

/** What a new key is to be. */
export interface KeyDraft extends KeyBindings {
  /** From now; `null`: it has no end. */
  readonly expiresInMs: number | null;
}

/** Times are epoch milliseconds. The key itself is not in here: nobody has it but who was shown it once. */
export interface AccessKey extends KeyBindings {
  /** Names the key in lists and logs; not a secret. */
  readonly keyId: string;
  readonly createdAt: number;
  /** `null`: never. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

export interface FoundKey extends AccessKey {
  /** Revoked or past its end, by the clock of the database: one clock for all servers. */
  readonly isOver: boolean;
}

/** For whom a ticket is issued. */
export type TicketHolder =
  | {
      readonly kind: 'player';
      readonly playerId: string;
      /** Of the token that asked for the ticket: a ticket makes nothing last longer. */
      readonly expiresAt: number | null;
    }
  | { readonly kind: 'key'; readonly keyId: string };

/** What a ticket turns into: a key as it is now, not as it was when the ticket was issued. */
export type RedeemedTicket =
  | Extract<TicketHolder, { kind: 'player' }>
  | { readonly kind: 'key'; readonly key: FoundKey };
