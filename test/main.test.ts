import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'rankcast-main-'));
});
afterAll(() => rm(folder, { recursive: true }));

function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const secret = { RANKCAST_TOKEN_SECRET: '0123456789abcdef0123456789abcdef' };
    execFile(process.execPath, [MAIN, ...args], { env: { ...secret, ...env } }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr });
    });
  });
}

describe('rankcast config', () => {
  it('prints what is set, secrets masked, and the boards', async () => {
    const { code, stdout } = await run({ RANKCAST_PORT: '1234' }, 'config');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { listen: { port: 1234 }, tokens: { secret: '***' }, boards: ['arena'] },
    ]);
  });

  it('refuses a boards file that the start would refuse, with the same sentence', async () => {
    const file = path.join(folder, 'boards.yaml');
    await writeFile(file, 'modes: [{ id: a, points: { max: 9 } }]\nboards: [{ id: a, modes: [b] }]\n');
    const { code, stdout, stderr } = await run({ RANKCAST_BOARDS_FILE: file }, 'config');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`boards file ${file} is wrong: `);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
