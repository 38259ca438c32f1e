/** The ranking in Redis: each operation is one Lua script on one tag. */

import { randomInt, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type AroundAsk, type Entry, MAX_NEIGHBOUR_ROWS, rowsAsked, type Standing } from '../domain/change.js';
import type { Position } from '../domain/log-record.js';
import type { OrderKey } from '../domain/order-key.js';
import type { Tag } from '../domain/tag.js';
import type { TagDefinition } from '../domain/tag-definition.js';
import { RankingKeys } from './keys.js';
import {
  BIRTH_GRACE_MS,
  DEDUP_MS,
  type FeedListener,
  type FeedSubscription,
  type FillBegun,
  type FillEntry,
  type FillStart,
  type FillSum,
  type FoldedEntry,
  type ListRef,
  type ListRow,
  type ListScan,
  MAX_MARKS,
  MAX_READ_PLAYERS,
  type Mark,
  type PlayerToMark,
  type Ranking,
  type Reading,
  type SubmitBatch,
  type SubmitReply,
  type TagState,
} from './ranking.js';
import { checkRedis, connectRedis, type Redis, runScript } from './redis-connection.js';
import { RedisFeed } from './redis-feed.js';
import { chunkArgument, fillArgument, foldedArgument, playersArgument, resultsArgument } from './script-arguments.js';
import { packArgument } from './script-codec.js';
import { loadScript, type Script } from './script-loader.js';
import {
  ReplyCode,
  readBeginReply,
  readEntriesReply,
  readFillReply,
  readMarksReply,
  readNeighboursReply,
  readScanReply,
  readScoresReply,
  readStandingsReply,
  readSubmitReply,
} from './script-replies.js';
import { readShownTag } from './shown-tag.js';

export interface RedisRankingOptions {
  readonly url: string;
  /** First part of every key, so that several installations can share a server. */
  readonly prefix: string;
  readonly logger: Logger;
  /**
   * For how long a tag whose rule needs it remembers results, default `DEDUP_MS`. The same in all processes; results
   * that came before it was raised are forgotten by the shorter time.
   */
  readonly dedupMs?: number;
  /** Told how long each script call took, in seconds, seen from here. */
  readonly observe?: (script: string, seconds: number) => void;
}

/**
 * How many changes a tag's stream keeps: 25 s at 20,000 changes a second. A reader behind that takes a snapshot.
 * Counted in changes, not entries, since an entry's id is its seq and an entry holds between 1 and 300 of them.
 */
const KEPT_CHANGES = 500_000;

/** Counted by one call of a scan. */
const LISTS_PER_SCAN = 500;
/** UNLINKed by one call of sweep, each in microseconds. */
const LISTS_PER_SWEEP = 100;

const EPOCH_LIMIT = 2 ** 32;

export class RedisRanking implements Ranking {
  private readonly keys: RankingKeys;
  private readonly writer: Redis;
  private readonly reader: Redis;
  private readonly feed: RedisFeed;
  private readonly dedupMs: number;
  private readonly scripts = {
    submit: loadScript('submit-results-2'),
    begin: loadScript('begin-fill-2'),
    load: loadScript('load-fill-1'),
    finish: loadScript('finish-fill-1'),
    abandon: loadScript('abandon-fill-1'),
    sweep: loadScript('sweep-lists-1'),
    marks: loadScript('read-marks-1'),
    mark: loadScript('mark-players-1'),
    settle: loadScript('settle-mark-2'),
    range: loadScript('read-range-1'),
    below: loadScript('read-below-1'),
    around: loadScript('read-around-1'),
    neighbours: loadScript('read-neighbours-1'),
    players: loadScript('read-players-1'),
    scores: loadScript('read-scores-1'),
    scan: loadScript('scan-lists-1'),
  };

  constructor(private readonly options: RedisRankingOptions) {
    const { url, logger } = options;
    this.keys = new RankingKeys(options.prefix);
    this.dedupMs = options.dedupMs ?? DEDUP_MS;
    // Reads must not queue behind submits.
    const onReadOnly = (): void => {
      this.reader.disconnect(true);
      this.feed.reconnect();
    };
    this.writer = connectRedis({ url, name: 'submit', logger, onReadOnly });
    this.reader = connectRedis({ url, name: 'read', logger });
    this.feed = new RedisFeed(url, this.keys, this.reader, logger);
  }

  /** Start checks; throws StartRefusedError. */
  async check(): Promise<{ version: string }> {
    return await checkRedis(this.reader);
  }

  async submit(tag: Tag, definitionHash: string, batch: SubmitBatch): Promise<SubmitReply> {
    const { source, from, to } = batch;
    const head = [definitionHash, source, String(batch.partition), from, to, freshEpoch(), KEPT_CHANGES];
    const memory = [this.dedupMs, BIRTH_GRACE_MS, randomUUID()];
    const argument = [...head, ...memory, ...resultsArgument(batch)];
    const keys = [this.keys.meta(tag), this.keys.changes(tag)];
    return readSubmitReply(
      'submit-results',
      await this.run(this.writer, this.scripts.submit, keys, [packArgument(argument)]),
    );
  }

  async marks(tag: Tag): Promise<readonly Mark[]> {
    return readMarksReply(await this.run(this.reader, this.scripts.marks, [this.keys.meta(tag)], [MAX_MARKS]));
  }

  async mark(
    tag: Tag,
    definitionHash: string,
    players: readonly PlayerToMark[],
  ): Promise<'marked' | 'no-board' | 'other-definition'> {
    if (players.length > MAX_MARKS) throw new RangeError(`${players.length} players to mark in one call`);
    const argument = [definitionHash, randomUUID(), playersArgument(players)];
    const reply = await this.run(this.writer, this.scripts.mark, [this.keys.meta(tag)], [packArgument(argument)]);
    if (reply[0] === ReplyCode.noBoard) return 'no-board';
    return reply[0] === ReplyCode.otherDefinition ? 'other-definition' : 'marked';
  }

  async settle(
    tag: Tag,
    definitionHash: string,
    mark: Mark,
    folded: readonly FoldedEntry[],
  ): Promise<'settled' | 'superseded'> {
    const argument = [definitionHash, mark.playerId, mark.markId, foldedArgument(folded), freshEpoch(), KEPT_CHANGES];
    const keys = [this.keys.meta(tag), this.keys.changes(tag)];
    const reply = await this.run(this.writer, this.scripts.settle, keys, [packArgument(argument)]);
    return reply[0] === ReplyCode.superseded ? 'superseded' : 'settled';
  }

  async state(tag: Tag): Promise<TagState | null> {
    const fields = await this.reader.hgetall(this.keys.meta(tag));
    const shown = readShownTag(fields);
    return shown && { ...shown, positions: readPositions(fields) };
  }

  async readRange(list: ListRef, fromRank: number, count: number): Promise<Reading<Entry> | null> {
    // Redis reads a negative index from the tail, and an inverted range as empty; the total is wanted either way.
    const first = Math.max(fromRank - 1, 0);
    const last = fromRank - 1 + count - 1;
    return readEntriesReply(await this.read(list, this.scripts.range, last < first ? [1, 0] : [first, last]));
  }

  async readBelow(list: ListRef, { score, playerId }: OrderKey, count: number): Promise<Reading<Entry> | null> {
    return readEntriesReply(await this.read(list, this.scripts.below, [String(score), playerId, count]));
  }

  async readAround(list: ListRef, playerId: string, above: number, below: number): Promise<Reading<Entry> | null> {
    return readEntriesReply(await this.read(list, this.scripts.around, [playerId, above, below]));
  }

  async readNeighbours(list: ListRef, asked: readonly AroundAsk[]): Promise<Reading<readonly Entry[]> | null> {
    if (rowsAsked(asked) > MAX_NEIGHBOUR_ROWS) throw new RangeError(`${rowsAsked(asked)} rows in one read`);
    const flat = asked.flatMap(({ playerId, above, below }) => [playerId, above, below]);
    return readNeighboursReply(await this.read(list, this.scripts.neighbours, [packArgument(flat)]));
  }

  async readPlayers(list: ListRef, playerIds: readonly string[]): Promise<Reading<Standing> | null> {
    if (playerIds.length > MAX_READ_PLAYERS) throw new RangeError(`${playerIds.length} players in one read`);
    return readStandingsReply(await this.read(list, this.scripts.players, [packArgument(playerIds)]), playerIds);
  }

  async readScores(
    tag: Tag,
    definitionHash: string,
    rows: readonly ListRow[],
  ): Promise<readonly (number | null)[] | null> {
    if (rows.length > MAX_READ_PLAYERS) throw new RangeError(`${rows.length} rows in one read`);
    const flat = rows.flatMap(({ list, playerId }) => [list, playerId]);
    const args = [definitionHash, packArgument(flat)];
    return readScoresReply(await this.run(this.reader, this.scripts.scores, [this.keys.meta(tag)], args));
  }

  async scanLists(tag: Tag, definitionHash: string, cursor: string): Promise<ListScan | null> {
    const args = [definitionHash, cursor, LISTS_PER_SCAN];
    return readScanReply(await this.run(this.reader, this.scripts.scan, [this.keys.meta(tag)], args));
  }

  async begin(tag: Tag, definition: TagDefinition, start: FillStart): Promise<FillBegun> {
    const head = [definition.hash, start.jobId, freshEpoch(), start.replace ?? false, start.anew ?? false];
    const argument = packArgument([...head, ...fillArgument(definition, start)]);
    const keys = [this.keys.meta(tag), this.keys.changes(tag)];
    return readBeginReply(await this.run(this.writer, this.scripts.begin, keys, [argument]));
  }

  async load(tag: Tag, jobId: string, index: number, entries: readonly FillEntry[]): Promise<'loaded' | 'superseded'> {
    const argument = [jobId, index, chunkArgument(entries)];
    return (await this.fillStep(tag, this.scripts.load, argument)) ? 'loaded' : 'superseded';
  }

  async finish(tag: Tag, jobId: string, chunks: number, sum: FillSum): Promise<'finished' | 'superseded'> {
    const argument = [jobId, chunks, sum.entries, sum.checksum, freshEpoch()];
    return (await this.fillStep(tag, this.scripts.finish, argument)) ? 'finished' : 'superseded';
  }

  async abandon(tag: Tag, jobId: string): Promise<void> {
    await this.fillStep(tag, this.scripts.abandon, [jobId]);
  }

  async sweep(tag: Tag): Promise<boolean> {
    const reply = await this.run(this.writer, this.scripts.sweep, [this.keys.meta(tag)], [LISTS_PER_SWEEP]);
    return reply[1] === 1;
  }

  follow(list: ListRef, afterSeq: number, listener: FeedListener): FeedSubscription {
    return this.feed.follow(list, afterSeq, listener);
  }

  async close(): Promise<void> {
    await this.feed.close();
    this.writer.disconnect();
    this.reader.disconnect();
  }

  private async read(
    { tag, definitionHash, list }: ListRef,
    script: Script,
    args: readonly (string | number | Buffer)[],
  ): Promise<readonly unknown[]> {
    return await this.run(this.reader, script, [this.keys.meta(tag)], [definitionHash, list, ...args]);
  }

  private async fillStep(tag: Tag, script: Script, argument: readonly unknown[]): Promise<boolean> {
    const reply = await this.run(this.writer, script, [this.keys.meta(tag)], [packArgument(argument)]);
    return readFillReply(script.name, reply);
  }

  private async run(
    redis: Redis,
    script: Script,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<readonly unknown[]> {
    const startedAt = performance.now();
    const reply = await runScript(redis, script, keys, args);
    this.options.observe?.(script.name, (performance.now() - startedAt) / 1_000);
    return reply;
  }
}

/** Reads the `next:<source>:<partition>` fields of a meta hash; a source may hold colons itself. */
function readPositions(fields: Readonly<Record<string, string>>): Position[] {
  return Object.entries(fields).flatMap(([field, next]) => {
    const match = /^next:(.+):(\d+)$/.exec(field);
    if (match?.[1] === undefined) return [];
    return [{ source: match[1], partition: Number(match[2]), next: Number(next) }];
  });
}

/** Compared for equality only, so random is enough: one history in 4 billion would be taken for its predecessor. */
function freshEpoch(): number {
  return randomInt(EPOCH_LIMIT);
}
