/** What README.md states and the code knows as well is the same. */

import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allNames, PREFIX, ROLES, SECRET_SETTINGS, settings } from '../../src/config/settings.js';
import { isInProject, readProjectFile } from './source-files.js';

const readme = readProjectFile('README.md');
const manifest = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string>; version: string };

const FEATURES = [
  ...numbered('A', 12),
  ...numbered('B', 7),
  ...numbered('C', 12),
  ...numbered('D', 5),
  ...numbered('E', 4),
  ...numbered('F', 7),
];
const MAX_SCREENSHOT_BYTES = 300 * 1_024;

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
}

/** Rows of the table that stands under these column heads, cells without their marks. */
function tableUnder(...heads: string[]): string[][] {
  const lines = readme.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heads.join(' | ')} |`));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  return lines.slice(start + 2, start < 0 ? 0 : end).map(cellsOf);
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').slice(1, -1);
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^`(.*)`$/, '$1')
      .replaceAll('\\', ''),
  );
}

describe('README.md', () => {
  it('lists every setting with its default and its meaning', () => {
    const known = Object.entries(settings).map(([name, schema]) => {
      const parsed = schema.safeParse(undefined);
      return [`${PREFIX}${name}`, parsed.success ? String(parsed.data ?? '') : '', schema.description];
    });
    expect(tableUnder('Setting', 'Default', 'Meaning')).toEqual(known);
  });

  it('names no setting that does not exist', () => {
    const names = [...readme.matchAll(/\bRANKCAST_[A-Z_]*[A-Z]/g)].map(([name]) => name);
    const strangers = names.filter((name) => !allNames().includes(name) && !name.startsWith(`${PREFIX}TEST_`));
    expect(strangers).toEqual([]);
  });

  it('says which settings may come from files', () => {
    const [sentence = ''] = readme.split('\n').filter((line) => line.includes('`_FILE`'));
    for (const name of SECRET_SETTINGS) expect(sentence).toContain(`\`${PREFIX}${name}\``);
  });

  it('lists every role', () => {
    expect(tableUnder('Role', 'Work').map(([role]) => role)).toEqual(ROLES);
  });

  it('gives each feature one of three states', () => {
    const rows = tableUnder('#', 'Feature', 'Status');
    expect(rows.map(([number]) => number)).toEqual(FEATURES);
    expect(rows.filter(([, , status = '']) => !['works', 'partly', 'not yet'].includes(status))).toEqual([]);
  });

  it('has the two commands, the second of which is that of CI', () => {
    expect(readme).toContain('```sh\nnpm ci && npm run demo\n```');
    expect(readme).toContain('```sh\nnpm ci && npm test\n```');
    const commands = readProjectFile('.ci/run').split('\n');
    expect(commands.filter((line) => ['npm ci', 'npm test'].includes(line))).toEqual(['npm ci', 'npm test']);
  });

  it('names only scripts that package.json has', () => {
    const named = [...readme.matchAll(/\bnpm (?:run )?([a-z]+)/g)].map(([text, name = '']) => ({ text, name }));
    const scripts = named.filter(({ text, name }) => text.includes(' run ') || ['start', 'test'].includes(name));
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter(({ name }) => !(name in manifest.scripts))).toEqual([]);
  });

  it('leads to files that exist', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !isInProject(path))).toEqual([]);
  });

  it('shows a screenshot that is quick to load', () => {
    const screenshot = new URL('../../docs/board.png', import.meta.url);
    expect(readme).toContain('](docs/board.png)');
    expect(statSync(screenshot).size).toBeLessThan(MAX_SCREENSHOT_BYTES);
  });
});

describe('CHANGELOG.md', () => {
  it('begins with the version of package.json, under the usual headings', () => {
    const headings = [...readProjectFile('CHANGELOG.md').matchAll(/^(##+) (.+)$/gm)].map(([, level, text]) => ({
      level,
      text,
    }));
    expect(headings[0]?.text).toMatch(new RegExp(`^${manifest.version.replaceAll('.', '\\.')} - `));
    const parts = headings.filter(({ level }) => level === '###').map(({ text }) => text);
    expect(parts.filter((part) => !['Added', 'Changed', 'Fixed', 'Removed'].includes(part ?? ''))).toEqual([]);
  });
});
