/** Installs what is missing with apt, where we are root on a Debian; elsewhere says what to install. */
import { spawn } from 'node:child_process';
import { isOnPath } from './child-process.js';
import { report } from './progress.js';

let updated: Promise<void> | null = null;

/**
 * @param packages Debian package names, tried together.
 * @param sentence what the person has to do where we cannot.
 */
export async function installPackages(packages: readonly string[], sentence: string): Promise<void> {
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) throw new Error(sentence);
  report(`installing ${packages.join(', ')}`);
  updated ??= runCommand('apt-get', ['-q', 'update']);
  try {
    await updated;
    await runCommand('apt-get', ['-q', 'install', '-y', '--no-install-recommends', ...packages]);
  } catch (error) {
    throw new Error(`${sentence} (apt-get could not: ${error instanceof Error ? error.message : error})`, {
      cause: error,
    });
  }
}

/** Runs a command to its end; its output appears only in the error. */
export async function runCommand(command: string, args: readonly string[], cwd?: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      ...(cwd === undefined ? {} : { cwd }),
    });
    let output = '';
    const collect = (text: string): void => {
      output = (output + text).slice(-4_000);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}:\n${output.trim()}`)),
    );
  });
}
