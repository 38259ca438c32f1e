import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { HttpResponse } from '../../src/http/http.js';
import { staticPages } from '../../src/http/static-pages.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankcast-pages-'));
  mkdirSync(join(folder, 'pages', 'assets'), { recursive: true });
  mkdirSync(join(folder, 'pages', 'overlay'));
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(folder, 'pages', 'link.txt'));
  writeFileSync(join(folder, 'pages', 'index.html'), '<h1>top</h1>');
  writeFileSync(join(folder, 'pages', 'overlay', 'index.html'), '<h1>overlay</h1>');
  writeFileSync(join(folder, 'pages', 'assets', 'index-Bx3_9-kQ.js'), 'run()');
  writeFileSync(join(folder, 'pages', 'a b:c.svg'), '<svg/>');
});

afterEach(() => rmSync(folder, { recursive: true }));

async function page(path: string): Promise<HttpResponse | undefined> {
  const route = staticPages(join(folder, 'pages')).find(({ pattern }) => pattern === path);
  const request = { method: 'GET', path, params: [], query: new Map(), header: () => undefined };
  return route?.handle({ ...request, body: async () => new Uint8Array() });
}

it('serves the files of the folder and nothing else', () => {
  const patterns = staticPages(join(folder, 'pages')).map(({ pattern }) => pattern);
  expect(patterns.sort()).toEqual([
    '/',
    '/a%20b%3Ac.svg',
    '/assets/index-Bx3_9-kQ.js',
    '/index.html',
    '/overlay/',
    '/overlay/index.html',
  ]);
});

it('lets pages be asked for again, and hashed assets be kept for good', async () => {
  const index = await page('/');
  expect(index?.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
  expect(Buffer.from(index?.body ?? '').toString()).toBe('<h1>top</h1>');
  expect((await page('/assets/index-Bx3_9-kQ.js'))?.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
});

it('allows scripts from own files only', async () => {
  const policy = (await page('/'))?.headers['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toContain('unsafe');
});

it('says what to do where the pages are not built', () => {
  expect(() => staticPages(join(folder, 'none'))).toThrow(/build them with npm run build/);
});
