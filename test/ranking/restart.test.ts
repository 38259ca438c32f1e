/** A Redis that forgets the scripts, and one that still loads its data when we are back: nothing is lost, doubled or half shown. */

import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EMPTY_SUM } from '../../src/domain/fill-entry.js';
import { SEASON_LIST } from '../../src/domain/lists.js';
import type { SubmitBatch } from '../../src/ranking/ranking.js';
import { RedisRanking } from '../../src/ranking/redis-ranking.js';
import { DEFINITION } from '../contract/ranking-fixture.js';
import { type RedisServer, startRedisServer } from '../stack/redis-server.js';
import { SEASON_LISTS } from '../support/definitions.js';
import { until } from '../support/until.js';

const TAG = { boardId: 'arena', seasonId: '1' };
const LIST = { tag: TAG, definitionHash: DEFINITION.hash, list: SEASON_LIST };
const DUMMIES = 2_000;

let server: RedisServer;
let ranking: RedisRanking;
let file: string;
beforeEach(async () => {
  file = `restart-${randomUUID()}.rdb`;
  server = await startRedisServer({ extraArgs: ['--dbfilename', file] });
  ranking = new RedisRanking({ url: server.url, prefix: 'lb', logger: pino({ level: 'silent' }) });
  await ranking.begin(TAG, DEFINITION, { jobId: 'job', positions: [], hidden: [] });
  await ranking.finish(TAG, 'job', 0, EMPTY_SUM);
});
afterEach(async () => {
  await ranking.close();
  const [, dir = ''] = (await server.command('CONFIG', 'GET', 'dir')) as string[];
  await server.stop();
  await rm(path.join(dir, file), { force: true });
});

function one(offset: number): SubmitBatch {
  const result = { playerId: `p${offset}`, score: offset + 1, lists: SEASON_LISTS, offset, at: 1_000 };
  return { source: 'kafka:match-results', partition: 0, from: offset, to: offset + 1, results: [result] };
}

/** As a consumer does: again while the server cannot take it, from where it says that it stands. */
async function submitAll(from: number, to: number): Promise<void> {
  let next = from;
  for (let tries = 0; next < to; tries++) {
    if (tries > 1_000) throw new Error(`stuck at ${next}`);
    const reply = await ranking.submit(TAG, DEFINITION.hash, one(next)).catch(() => null);
    if (reply === null) await sleep(20);
    else if (reply.kind === 'done' || reply.kind === 'behind') next = reply.next;
    else throw new Error(`unexpected reply ${reply.kind}`);
  }
}

const descending = (count: number): number[] => Array.from({ length: count }, (_, index) => count - index);

it('applies each of 20 results once though the scripts are flushed between and beside them', async () => {
  let isDone = false;
  let flushes = 0;
  const flushing = (async () => {
    while (!isDone) {
      await server.command('SCRIPT', 'FLUSH');
      flushes += 1;
    }
  })();
  for (let offset = 0; offset < 20; offset += 1) {
    await server.command('SCRIPT', 'FLUSH');
    await submitAll(offset, offset + 1);
  }
  isDone = true;
  await flushing;
  expect(flushes).toBeGreaterThan(0);
  const reading = await ranking.readRange(LIST, 1, 100);
  expect(reading?.rows.map(({ score }) => score)).toEqual(descending(20));
  expect(reading?.seq).toBe(20);
});

it('shows no half board while Redis loads its data, and takes the next results as soon as it can', async () => {
  await submitAll(0, 10);
  await server.command('EVAL', `for i = 1, ${DUMMIES} do redis.call('SET', 'dummy:' .. i, i) end`, '0');
  await server.command('SAVE');
  await server.kill();

  // Half a millisecond for each key: a second of LOADING.
  const extraArgs = ['--dbfilename', file, '--key-load-delay', '500'];
  server = await startRedisServer({ port: server.port, extraArgs });
  const answers: number[][] = [];
  let refused = 0;
  let isLoaded = false;
  const reading = (async () => {
    while (!isLoaded) {
      const rows = await ranking.readRange(LIST, 1, 100).catch(() => null);
      if (rows === null) refused += 1;
      else answers.push(rows.rows.map(({ score }) => score));
      await sleep(10);
    }
  })();
  await submitAll(10, 12);
  await until(() => expect(answers.at(-1)).toEqual(descending(12)));
  isLoaded = true;
  await reading;
  expect(answers.filter((scores) => scores.length < 10)).toEqual([]);
  expect(refused + answers.length).toBeGreaterThan(0);
  expect((await ranking.readRange(LIST, 1, 100))?.rows.map(({ score }) => score)).toEqual(descending(12));
}, 30_000);
