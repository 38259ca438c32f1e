/** Where the database's files lie and how they come to be: initdb beside the final place, then one rename. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartRefusedError } from '../../domain/errors.js';
import type { PostgresBinaries } from './binaries.js';
import { messageOf } from './messages.js';
import type { ServerUser } from './server-user.js';
import { asServerUser, canUserRead } from './server-user.js';

/** Inside the cluster, so that files and password appear together; mode 0600. */
const PASSWORD_FILE = 'rankcast-password';
const POINTER_FILE = 'moved-to';
const UNFINISHED = /^cluster-new-(\d+)-/;
/** For root alone, whose server runs as another user that cannot enter every folder. */
const SHARED_HOME = '/var/lib/rankcast';

export const SUPERUSER = 'rankcast';

/**
 * The folder that holds the cluster and what belongs to it: `dataDir` itself, or, where the server's user cannot enter
 * that (a checkout below /root), a folder below /var/lib/rankcast that the file `moved-to` in `dataDir` names.
 */
export async function chooseHomeDir(dataDir: string, user: ServerUser | null): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    const moved = await readFile(path.join(dataDir, POINTER_FILE), 'utf8').catch(() => '');
    const known = moved.trim();
    if (known === '' && canUserRead(user, dataDir)) return dataDir;
    const homeDir = known === '' ? path.join(SHARED_HOME, randomBytes(8).toString('hex')) : known;
    if (known === '' && !(await claimPointer(dataDir, homeDir))) return await chooseHomeDir(dataDir, user);
    await mkdir(homeDir, { recursive: true });
    // Whatever our umask is; the cluster inside is closed to all but its user.
    for (const folder of [path.dirname(homeDir), homeDir]) await chmod(folder, 0o755);
    return homeDir;
  } catch (error) {
    throw new StartRefusedError(
      `The data folder ${dataDir} cannot be used (${messageOf(error)}): name a folder that this user may write to.`,
      { cause: error },
    );
  }
}

/** False when another process, starting at the same moment, was first. */
async function claimPointer(dataDir: string, homeDir: string): Promise<boolean> {
  try {
    await writeFile(path.join(dataDir, POINTER_FILE), `${homeDir}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

export interface Cluster {
  readonly clusterDir: string;
  readonly password: string;
}

/** Opens the cluster below `homeDir`, and makes it first where there is none. */
export async function openCluster(
  homeDir: string,
  binaries: PostgresBinaries,
  user: ServerUser | null,
): Promise<Cluster> {
  const clusterDir = path.join(homeDir, 'cluster');
  await removeUnfinished(homeDir);
  const version = await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version === '') await createCluster(homeDir, clusterDir, binaries, user);
  const major = binaries.version.split('.')[0] ?? '';
  if (version !== '' && version.trim() !== major) {
    throw new StartRefusedError(
      `The database in ${clusterDir} was made by PostgreSQL ${version.trim()} and this is PostgreSQL ${major}: move it ` +
        'with pg_dump and the older version of rankcast, or start with another data folder.',
    );
  }
  try {
    const password = (await readFile(path.join(clusterDir, PASSWORD_FILE), 'utf8')).trim();
    return { clusterDir, password };
  } catch (error) {
    throw new StartRefusedError(
      `The database in ${clusterDir} cannot be opened (${messageOf(error)}): restore that file, or start with another data folder.`,
      { cause: error },
    );
  }
}

async function createCluster(
  homeDir: string,
  clusterDir: string,
  binaries: PostgresBinaries,
  user: ServerUser | null,
): Promise<void> {
  const unfinishedDir = path.join(homeDir, `cluster-new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${unfinishedDir}.password`;
  try {
    await mkdir(unfinishedDir, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    if (user !== null) {
      await chown(unfinishedDir, user.uid, user.gid);
      await chown(passwordFile, user.uid, user.gid);
    }
    // Bytewise order and UTF-8: the only locale that is the same on every machine. TCP with a password, because a
    // socket file's path is limited to 107 bytes and `trust` would open the database to every user of the machine.
    await runInitdb(binaries.initdb, user, [
      `--pgdata=${unfinishedDir}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--no-locale',
    ]);
    await rename(passwordFile, path.join(unfinishedDir, PASSWORD_FILE));
    // A rename onto a folder that is not empty fails: of two processes at the first start, one wins and both use it.
    await rename(unfinishedDir, clusterDir).catch(async (error: unknown) => {
      if (!(await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => ''))) throw error;
    });
  } catch (error) {
    throw new StartRefusedError(
      `The database could not be made in ${homeDir}: ${messageOf(error)} (name another data folder, or set RANKCAST_DATABASE_URL).`,
      { cause: error },
    );
  } finally {
    await rm(unfinishedDir, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

async function runInitdb(initdb: string, user: ServerUser | null, args: string[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(initdb, args, { ...asServerUser(user), stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(complaint.trim() || `initdb ended with ${code}`)),
    );
  });
}

/** Leftovers of an initdb whose process no longer lives. */
async function removeUnfinished(homeDir: string): Promise<void> {
  for (const name of await readdir(homeDir)) {
    const pid = Number(UNFINISHED.exec(name)?.[1]);
    if (Number.isInteger(pid) && !isProcessAlive(pid)) {
      await rm(path.join(homeDir, name), { recursive: true, force: true });
    }
  }
}

/** Whether a process with that number exists, whoever owns it. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
