/** What can be known about the Dockerfile without a Docker engine. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { NODE_FLAGS } from '../../loadtest/lib/server-process.js';
import { readConfig } from '../../src/config.js';
import { isInProject, readProjectFile } from './source-files.js';

interface Manifest {
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readProjectFile('package.json')) as Manifest;

interface Instruction {
  readonly name: string;
  readonly args: string;
}

/** One per instruction, comments gone and continued lines joined. */
function readDockerfile(): Instruction[] {
  const text = readProjectFile('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', args = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, args };
    });
}

/** The instructions of each stage, by its name; the last stage has none. */
function readStages(): Map<string, Instruction[]> {
  const stages = new Map<string, Instruction[]>();
  let current: Instruction[] = [];
  for (const instruction of readDockerfile()) {
    if (instruction.name === 'FROM') {
      current = [];
      stages.set(/ AS (\S+)$/.exec(instruction.args)?.[1] ?? '', current);
    }
    current.push(instruction);
  }
  return stages;
}

function argsOf(instructions: readonly Instruction[], name: string): string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ args }) => args);
}

/** Paths that a stage copies from the build context. */
function contextPathsOf(instructions: readonly Instruction[]): string[] {
  const copies = argsOf(instructions, 'COPY').filter((args) => !args.startsWith('--from='));
  return copies.flatMap((args) => args.split(/\s+/).slice(0, -1));
}

function healthCommand(): string[] {
  const [args = ''] = argsOf(readDockerfile(), 'HEALTHCHECK');
  return JSON.parse(args.slice(args.indexOf('CMD ') + 4)) as string[];
}

describe('Dockerfile', () => {
  const stages = readStages();
  const build = stages.get('build') ?? [];
  const last = [...stages.values()].at(-1) ?? [];

  it('has only instructions that are understood here', () => {
    expect(readDockerfile().filter(({ name }) => name === '')).toEqual([]);
    expect([...stages.keys()]).toEqual(['build', 'packages', '']);
  });

  it('runs the Node that package.json asks for, on glibc', () => {
    const major = /\d+/.exec(manifest.engines.node)?.[0];
    const images = argsOf(readDockerfile(), 'FROM').map((args) => args.split(' ')[0]);
    expect(new Set(images)).toEqual(new Set([`node:${major}-bookworm-slim`]));
  });

  it('copies what exists and .dockerignore lets through', () => {
    const ignore = readProjectFile('.dockerignore').split('\n');
    expect(ignore).toContain('*');
    const wanted = new Set([...stages.values()].flatMap(contextPathsOf));
    const allowed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect([...wanted].sort()).toEqual(allowed.sort());
    expect([...wanted].filter((path) => !isInProject(path))).toEqual([]);
  });

  it('gives the build all that it reads', () => {
    const given = contextPathsOf(build);
    const { extends: base, include } = JSON.parse(readProjectFile('tsconfig.build.json')) as {
      extends: string;
      include: string[];
    };
    const config = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.build.json', 'vite.config.ts'];
    expect(given).toEqual(expect.arrayContaining([...config, base.replace('./', ''), ...include]));
    expect(argsOf(build, 'RUN')).toEqual(['npm ci', 'npm run build']);
  });

  it('ends with what the package publishes and no development packages', () => {
    const copied = argsOf(last, 'COPY');
    expect(copied).toContain('--from=build /app/dist ./dist');
    expect(copied).toContain('--from=packages /app/node_modules ./node_modules');
    expect(contextPathsOf(last)).toEqual(
      expect.arrayContaining(['package.json', ...manifest.files.filter((file) => file !== 'dist')]),
    );
    expect(argsOf(stages.get('packages') ?? [], 'RUN')).toEqual(['npm ci --omit=dev']);
  });

  it('starts the server under an init, not as root, and stops it by SIGTERM', () => {
    const entry = ['tini', '--', 'node', ...NODE_FLAGS, manifest.bin['rankcast']];
    expect(JSON.parse(argsOf(last, 'ENTRYPOINT')[0] ?? '')).toEqual(entry);
    expect(JSON.parse(argsOf(last, 'CMD')[0] ?? '')).toEqual(['serve']);
    expect(argsOf(last, 'USER')).toEqual(['node']);
    expect(argsOf(last, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('gives Node the same room for short-lived objects however the server is started', () => {
    const command = `node ${NODE_FLAGS.join(' ')}`;
    expect(readProjectFile('src/main.ts').split('\n')[0]).toBe(`#!/usr/bin/env -S ${command}`);
    const { scripts } = manifest;
    for (const name of ['start', 'demo']) expect(scripts[name]).toContain(`${command} ${manifest.bin['rankcast']}`);
    expect(scripts['loadtest']).toContain(`${command} --import tsx loadtest/main.ts`);
  });

  it('sets what the configuration takes, and opens its ports', () => {
    const pairs = argsOf(last, 'ENV')
      .flatMap((args) => args.split(/\s+/))
      .map((pair) => pair.split('='));
    const env: Record<string, string> = Object.fromEntries(pairs);
    const config = readConfig({ ...env, RANKCAST_TOKEN_SECRET: 'x'.repeat(32) });
    const [volume = '/'] = argsOf(last, 'VOLUME');
    expect(config.stores).toEqual({ kind: 'embedded', dataDir: expect.stringMatching(`^${volume}/`) });
    expect(argsOf(last, 'EXPOSE')).toEqual([`${config.listen.port} ${config.admin.port}`]);
  });
});

describe('the health check of the image', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.close();
    server = undefined;
  });

  async function check(port: number): Promise<number | null> {
    const [program = '', ...args] = healthCommand();
    const child = spawn(program, args, { env: { ...process.env, RANKCAST_ADMIN_PORT: String(port) } });
    await once(child, 'exit');
    return child.exitCode;
  }

  async function serve(status: number): Promise<number> {
    server = createServer((request, response) => response.writeHead(request.url === '/readyz' ? status : 404).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  it('is well where the server is ready', async () => {
    expect(await check(await serve(200))).toBe(0);
  });

  it('is unwell where it is not', async () => {
    expect(await check(await serve(503))).toBe(1);
  });

  it('is unwell where nobody answers', async () => {
    const port = await serve(200);
    server?.close();
    await (server === undefined ? undefined : once(server, 'close'));
    expect(await check(port)).toBe(1);
  });
});
