/** A folder for an embedded database, which another system user must be able to enter. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface DataFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeDataFolder(): Promise<DataFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rankcast-test-'));
  await chmod(folder, 0o755);
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
