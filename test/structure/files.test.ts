/** Habits of the files themselves: short, introduced by one sentence, and twins that say the same in Lua and TypeScript. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RankingKeys } from '../../src/ranking/keys.js';
import { loadScript } from '../../src/ranking/script-loader.js';
import { ReplyCode } from '../../src/ranking/script-replies.js';
import { type TestRedis, testRedis } from '../support/isolation.js';
import { listFiles, listSources, readProjectFile } from './source-files.js';

const MAX_MEDIAN_LINES = 120;
const MAX_LINES = 400;

const LUA_FOLDER = 'src/ranking/lua/';
const scripts = listFiles('src/ranking/lua', '.lua').filter((path) => !path.includes('/includes/'));
const includes = listFiles('src/ranking/lua/includes', '.lua');

describe('source files', () => {
  const sources = listSources().map((path) => ({ path, text: readProjectFile(path) }));
  const lineCounts = sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }));

  it('are mostly short', () => {
    const sorted = lineCounts.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted.length).toBeGreaterThan(100);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(MAX_MEDIAN_LINES);
  });

  it('are never too long', () => {
    expect(lineCounts.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
  });

  it('begin with what they own', () => {
    // A sentence ends with a full stop; a colon may lead into the rest.
    const header = /^(?:#!.*\n)?\/\*\*\s(?:[^*]|\*(?!\/))*[.:](?:[^*]|\*(?!\/))*\*\//;
    expect(sources.filter(({ text }) => !header.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('are named in kebab-case', () => {
    const isPlain = /^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/;
    expect(sources.filter(({ path }) => !isPlain.test(path)).map(({ path }) => path)).toEqual([]);
  });
});

describe('Lua scripts', () => {
  it('are there', () => {
    expect(scripts.length).toBeGreaterThan(0);
    expect(includes.length).toBeGreaterThan(0);
  });

  it.each(scripts)('%s is named by verb, noun and the number of its keys', (path) => {
    const name = path.slice(LUA_FOLDER.length, -'.lua'.length);
    expect(name).toMatch(/^[a-z]+(?:-[a-z]+)+-\d$/);
    const { keyCount, source } = loadScript(name);
    const used = [...source.matchAll(/\bKEYS\[(\d+)\]/g)].map(([, index]) => Number(index));
    expect(Math.max(...used)).toBe(keyCount);
    expect(source).not.toContain('--@include');
  });

  it.each(scripts)('%s says in its header what it does, takes and answers', (path) => {
    const text = readProjectFile(path);
    const [, header = ''] = /^--\[\[\n([\s\S]*?)\n\]\]\n/.exec(text) ?? [];
    expect(header).toMatch(/^ {2}[A-Z][\s\S]*?\.\n/);
    const body = text.slice(text.indexOf(']]'));
    const slots = (part: string) => new Set([...part.matchAll(/\b(?:KEYS|ARGV)\[\d+\]/g)].map(([slot]) => slot));
    expect([...slots(header)].sort()).toEqual([...slots(body)].sort());
    expect(header).toMatch(/^ {2}Reply {3}\S/m);
  });

  it.each(scripts)('%s answers the codes that its header names', (path) => {
    const text = readProjectFile(path);
    const [, header = ''] = /^--\[\[\n([\s\S]*?)\n\]\]\n/.exec(text) ?? [];
    const told = [...header.matchAll(/\[([A-Z_]+)[,\]]/g)].map(([, code]) => code);
    const answered = [...text.matchAll(/return \{ ([A-Z_]+)[ ,]/g)].map(([, code]) => code);
    expect([...new Set(answered)].sort()).toEqual([...new Set(told)].sort());
  });

  it.each(includes)('%s begins with what it is for', (path) => {
    expect(readProjectFile(path)).toMatch(/^-- [A-Z].*\.\n/);
  });

  it('number their reply codes as TypeScript does', () => {
    const text = readProjectFile(`${LUA_FOLDER}includes/reply-codes.lua`);
    const [, names = '', numbers = ''] = /^local ([A-Z_, ]+) = ([\d, ]+)$/m.exec(text) ?? [];
    const values = numbers.split(', ').map(Number);
    const inLua = names.split(', ').map((name, i) => [camelCase(name), values[i]]);
    expect(Object.fromEntries(inLua)).toEqual(ReplyCode);
  });
});

describe('the key of a list', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await testRedis();
  });

  afterAll(async () => {
    await redis.drop();
  });

  it.each([
    [{ boardId: 'arena', seasonId: '1' }, 1],
    [{ boardId: 'arena', seasonId: '2026-w42' }, 12],
    [{ boardId: 'a-very-long-board-name-of-32-chars', seasonId: 's' }, 4_294_967_295],
  ])('is the same in Lua and TypeScript for %j, generation %i', async (tag, generation) => {
    const keys = new RankingKeys('lb');
    const script = `${readProjectFile(`${LUA_FOLDER}includes/list-key.lua`)}\nreturn listKey(KEYS[1], ARGV[1], ARGV[2])`;
    const inLua = await redis.client.eval(script, 1, keys.meta(tag), String(generation), 's');
    expect(inLua).toBe(keys.list(tag, generation, 's'));
  });
});

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
