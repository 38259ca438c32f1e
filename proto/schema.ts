/** The shapes of all frames as zod tuples: the oracle of tests and tools. The SDK and the hot path never import it. */

import { z } from 'zod';
import { FrameType } from './frames.js';

/** 0 to 2^32-1. */
const u = z.uint32();
/** Number of a request: 0 says "nobody asked" in answers, so no request has it. */
const requestId = u.min(1);
/** A finite number of magnitude at most 2^53-1. */
const n = z.number().min(-Number.MAX_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER);
const s = z.string();
/** Fields are only ever appended: extra trailing elements are ignored. */
const growing = z.unknown();

// Client to server. Trailing fields that may be nil may also be missing.

export const helloSchema = z.tuple([z.literal(FrameType.hello), s.nullable(), s, u, s.nullish()]).rest(growing);
export const pingSchema = z.tuple([z.literal(FrameType.ping), u.nullish()]).rest(growing);
export const refreshSchema = z.tuple([z.literal(FrameType.refresh), requestId, s]).rest(growing);
export const subscribeSchema = z
  .tuple([
    z.literal(FrameType.subscribe),
    requestId,
    u,
    s,
    z.array(z.unknown()),
    u.nullish(),
    n.nullish(),
    u.nullish(),
    z.boolean().nullish(),
  ])
  .rest(growing);
export const unsubscribeSchema = z.tuple([z.literal(FrameType.unsubscribe), requestId, u]).rest(growing);
export const resyncSchema = z.tuple([z.literal(FrameType.resync), u, u, n, u]).rest(growing);

export const clientFrameSchema = z.union([
  helloSchema,
  pingSchema,
  refreshSchema,
  subscribeSchema,
  unsubscribeSchema,
  resyncSchema,
]);

// Server to client.

/** topics, frameBytes, framesPer10s, bytesPer10s. */
export const sessionLimitsSchema = z.tuple([u, u, u, u]).rest(growing);
export const welcomeSchema = z
  .tuple([z.literal(FrameType.welcome), s, n, u, n.nullable(), s.nullable(), sessionLimitsSchema, u, s])
  .rest(growing);
export const pongSchema = z.tuple([z.literal(FrameType.pong), u.nullable(), n]).rest(growing);
export const errorSchema = z.tuple([z.literal(FrameType.error), u, u, s, u.nullish()]).rest(growing);
/** reason, retryAfterMs, graceMs, url. */
export const goawaySchema = z.tuple([z.literal(FrameType.goaway), u, u, u, s.nullish()]).rest(growing);
export const refreshedSchema = z.tuple([z.literal(FrameType.refreshed), u, n.nullish()]).rest(growing);
/** measure, steps of name and limit. */
export const tierDescriptionSchema = z
  .tuple([z.union([z.literal(0), z.literal(1)]), z.array(z.tuple([s, n]).rest(growing))])
  .rest(growing);
/** boardId, title, seasonId, order, ranking, format, decimals, startsAt, endsAt, state, tiers, period, scope. */
export const boardDescriptionSchema = z
  .tuple([
    s,
    s,
    s,
    z.union([z.literal(0), z.literal(1)]),
    z.union([z.literal(0), z.literal(1), z.literal(2)]),
    z.union([z.literal(0), z.literal(1), z.literal(2)]),
    u,
    n.nullable(),
    n.nullable(),
    z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
    tierDescriptionSchema.nullish(),
    s.nullish(),
    s.nullish(),
  ])
  .rest(growing);
export const subscribedSchema = z
  .tuple([z.literal(FrameType.subscribed), u, u, u, u, n, boardDescriptionSchema])
  .rest(growing);
export const unsubscribedSchema = z.tuple([z.literal(FrameType.unsubscribed), u, u, u, s]).rest(growing);

/** ref, score, rank, playerId, name: a row of a placed window's SNAPSHOT. */
export const placedEntrySchema = z.tuple([u, n, u.nullable(), s, s.nullish()]).rest(growing);
/** index, ref, score, rank, playerId, name: a row of a placed window's DELTA. */
export const placedChangeSchema = z.tuple([u, u, n, u.nullish(), s.nullish(), s.nullish()]).rest(growing);
/** ref, score, rank, prevRank, order, at, playerId, name: a row of an unplaced window, in SNAPSHOT and DELTA. */
export const unplacedRowSchema = z
  .tuple([u, n.nullable(), u.nullable(), u.nullable(), n.nullable(), n.nullable(), s.nullish(), s.nullish()])
  .rest(growing);

export const snapshotSchema = z
  .tuple([
    z.literal(FrameType.snapshot),
    u,
    u,
    n,
    u,
    n,
    z.union([z.array(placedEntrySchema), z.array(unplacedRowSchema)]),
    n,
    z.boolean().nullish(),
  ])
  .rest(growing);
export const deltaSchema = z
  .tuple([
    z.literal(FrameType.delta),
    u,
    n,
    u,
    z.array(u),
    z.union([z.array(placedChangeSchema), z.array(unplacedRowSchema)]),
    u.nullable(),
    n.nullable(),
    n,
  ])
  .rest(growing);
export const rankSchema = z
  .tuple([
    z.literal(FrameType.rank),
    u,
    n,
    u.nullable(),
    u.nullable(),
    n.nullable(),
    n,
    n.nullable(),
    u.nullable(),
    n,
    u,
    s.nullish(),
  ])
  .rest(growing);
export const boardSchema = z.tuple([z.literal(FrameType.board), u, u, boardDescriptionSchema.nullish()]).rest(growing);
export const syncSchema = z.tuple([z.literal(FrameType.sync), u, u, n, u.nullish()]).rest(growing);

export const serverFrameSchema = z.union([
  welcomeSchema,
  pingSchema,
  pongSchema,
  errorSchema,
  goawaySchema,
  refreshedSchema,
  subscribedSchema,
  unsubscribedSchema,
  snapshotSchema,
  deltaSchema,
  rankSchema,
  boardSchema,
  syncSchema,
]);

export const batchSchema = z.tuple([z.literal(FrameType.batch), z.array(serverFrameSchema)]).rest(growing);

/** Of each frame, by its name in `FrameType`. */
export const frameSchemas = {
  batch: batchSchema,
  hello: helloSchema,
  welcome: welcomeSchema,
  ping: pingSchema,
  pong: pongSchema,
  error: errorSchema,
  goaway: goawaySchema,
  refresh: refreshSchema,
  refreshed: refreshedSchema,
  subscribe: subscribeSchema,
  subscribed: subscribedSchema,
  unsubscribe: unsubscribeSchema,
  unsubscribed: unsubscribedSchema,
  resync: resyncSchema,
  snapshot: snapshotSchema,
  delta: deltaSchema,
  rank: rankSchema,
  board: boardSchema,
  sync: syncSchema,
} as const satisfies Record<keyof typeof FrameType, z.ZodType>;
