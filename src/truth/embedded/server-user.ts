/** The system user the server runs as: ourselves, or, because PostgreSQL refuses to run as root, `postgres`. */
import { spawnSync } from 'node:child_process';
import { StartRefusedError } from '../../domain/errors.js';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

const SERVER_USER = 'postgres';

/** Null when the server can run as the user of this process. Creates the system user `postgres` where it is missing. */
export function chooseServerUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null;
  const existing = lookUp();
  if (existing !== null) return existing;
  // Debian and most others have useradd, Alpine has BusyBox's adduser.
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', SERVER_USER]],
    ['adduser', ['-S', '-D', '-H', SERVER_USER]],
  ];
  for (const [command, args] of attempts) {
    spawnSync(command, args, { stdio: 'ignore' });
    const created = lookUp();
    if (created !== null) return created;
  }
  throw new StartRefusedError(
    'PostgreSQL refuses to run as root and the user "postgres" could not be created: run as another user, create ' +
      'that user, or set RANKCAST_DATABASE_URL to a PostgreSQL of your own.',
  );
}

/** The spawn options that run a program as that user; the folder is one that every user can enter. */
export function asServerUser(user: ServerUser | null): { cwd?: string; uid?: number; gid?: number } {
  // PostgreSQL's programs fail in a working folder that their user cannot enter, such as one below /root.
  return user === null ? {} : { cwd: '/', uid: user.uid, gid: user.gid };
}

/** Whether that user can read a path, which takes leave to enter every folder on the way. */
export function canUserRead(user: ServerUser | null, target: string): boolean {
  if (user === null) return true;
  return spawnSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', target], asServerUser(user)).status === 0;
}

function lookUp(): ServerUser | null {
  const ask = (flag: string): number =>
    Number.parseInt(spawnSync('id', [flag, SERVER_USER], { encoding: 'utf8' }).stdout ?? '', 10);
  const uid = ask('-u');
  const gid = ask('-g');
  return Number.isInteger(uid) && Number.isInteger(gid) && uid > 0 ? { uid, gid } : null;
}
