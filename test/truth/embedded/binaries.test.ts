import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreSymlinks } from '../../../src/truth/embedded/binaries.js';

let nativeDir: string;

beforeEach(async () => {
  nativeDir = await mkdtemp(path.join(tmpdir(), 'rankcast-native-'));
  await mkdir(path.join(nativeDir, 'lib'));
  await writeFile(path.join(nativeDir, 'lib', 'libx.so.1.2'), '');
  const links = [
    { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so' },
    { source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' },
  ];
  await writeFile(path.join(nativeDir, 'pg-symlinks.json'), JSON.stringify(links));
});

afterEach(async () => {
  await rm(nativeDir, { recursive: true, force: true });
});

test('makes the links that npm left out, as relative ones', async () => {
  expect(await restoreSymlinks(nativeDir)).toBe(true);
  expect(await readlink(path.join(nativeDir, 'lib', 'libx.so'))).toBe('libx.so.1.2');
  expect(await readlink(path.join(nativeDir, 'lib', 'libx.so.1'))).toBe('libx.so.1.2');
});

test('changes nothing when they are there, also when two do it at once', async () => {
  expect(await Promise.all([restoreSymlinks(nativeDir), restoreSymlinks(nativeDir)])).toEqual([true, true]);
  expect(await restoreSymlinks(nativeDir)).toBe(true);
});

test('says when the folder cannot be completed', async () => {
  await rm(path.join(nativeDir, 'lib'), { recursive: true });
  expect(await restoreSymlinks(nativeDir)).toBe(false);
});

test('has nothing to do for a package without links', async () => {
  await rm(path.join(nativeDir, 'pg-symlinks.json'));
  expect(await restoreSymlinks(nativeDir)).toBe(true);
});
