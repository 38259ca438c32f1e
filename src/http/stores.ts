/** What HTTP needs of the rest of the server; app.ts proves that the concrete stores have it. */

import type { AccessKey, FoundKey, KeyDraft, TicketHolder } from '../domain/access-key.js';
import type { Entry, Standing, TagPosition } from '../domain/change.js';
import type { KeptResult } from '../domain/kept-result.js';
import type { ListRef } from '../domain/lists.js';
import type { Position } from '../domain/log-record.js';
import type { OrderKey } from '../domain/order-key.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinitions } from '../domain/tag-standing.js';

/** Rows of a list at one (epoch, seq); `total` is how many players the list ranks. */
export interface WindowReading<Row> extends TagPosition {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Every read answers `null` where the tag has no finished board of the list's definition. */
export interface WindowReader {
  /** From a 1-based rank on; ranks below 1 and beyond the end are simply not there. */
  readRange(list: ListRef, fromRank: number, count: number): Promise<WindowReading<Entry> | null>;
  /** Rows right below an order key, whether or not a row is there; `count` is at least 1. */
  readBelow(list: ListRef, key: OrderKey, count: number): Promise<WindowReading<Entry> | null>;
  /** The player's row and its neighbours, clamped at both ends; no rows for an unranked player. */
  readAround(list: ListRef, playerId: string, above: number, below: number): Promise<WindowReading<Entry> | null>;
  /** One standing per id, in the order asked; at most `MAX_READ_PLAYERS` ids. */
  readPlayers(list: ListRef, playerIds: readonly string[]): Promise<WindowReading<Standing> | null>;
}

/** How far a ranking has come. */
export interface ProgressReader {
  /** The first offset of each partition that the tag has not considered; `null` where it has no finished board. */
  state(tag: Tag): Promise<(TagDefinitions & { readonly positions: readonly Position[] }) | null>;
  /** Players, or who else the board ranks, whose entries wait to be computed anew, at most `MAX_MARKS` of them. */
  marks(tag: Tag): Promise<readonly { readonly playerId: string }[]>;
}

export interface ResultFinder {
  /** `null` where truth does not hold it. Throws `StoreUnavailableError`. */
  find(matchId: string, playerId: string): Promise<KeptResult | null>;
}

/** Adds records to the log of results. */
export interface ResultAppender {
  /** Resolves once all are durable; rejects with `StoreUnavailableError` where not (surely), `RecordTooLargeError` where never. */
  append(records: readonly ResultRecord[]): Promise<void>;
}

export interface ResultRecord {
  /** The player id. */
  readonly key: string;
  /** JSON in UTF-8. */
  readonly value: Uint8Array;
}

/** The friend graph. A refusal is a `RankcastError` with a `code`: `friend_limit`, `own_friend` or `bad_id`. */
export interface Friends {
  /** Empty for a player nobody knows. */
  friendsOf(playerId: string): Promise<readonly string[]>;
  /** Makes the two friends of each other; harmless where they are. */
  add(playerId: string, friendId: string): Promise<unknown>;
  /** Ends the friendship on both sides; harmless where there is none. */
  remove(playerId: string, friendId: string): Promise<unknown>;
}

/** `PlayerTokens` of ops has it. */
export interface TokenVerifier {
  /** Throws `InvalidTokenError`. */
  verify(token: string): Promise<{ readonly playerId: string; readonly expiresAt: number | null }>;
}

/** `AccessKeys` of src/access has it. */
export interface KeyStore {
  /** `key` is shown here and never again. */
  create(draft: KeyDraft): Promise<AccessKey & { readonly key: string }>;
  /** All there ever were, the newest first. */
  list(): Promise<readonly AccessKey[]>;
  /** Whether there is such a key; harmless where it was revoked before. Any text may be asked for. */
  revoke(keyId: string): Promise<boolean>;
  /** Also one that is over; `null` for what is no key. */
  find(key: string): Promise<FoundKey | null>;
}

/** `Tickets` of src/access has it. */
export interface TicketIssuer {
  issue(holder: TicketHolder): Promise<{ readonly ticket: string; readonly expiresInMs: number }>;
}
