import path from 'node:path';
import { expect, it } from 'vitest';
import { runCommand } from '../stack/debian.js';
import { PYTHON_FOLDER, python } from './python.js';

it('the client in Python passes its own tests, which play all vectors', { timeout: 120_000 }, async () => {
  const root = path.resolve(PYTHON_FOLDER, '../../..');
  const args = ['-B', '-m', 'unittest', 'discover', '-s', path.relative(root, PYTHON_FOLDER)];
  await expect(runCommand(await python(), args, root)).resolves.toBeUndefined();
});
