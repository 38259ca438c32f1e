import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ProgressDisplay } from '../../src/app/rebuild-progress.js';

let written: string[];
const write = (text: string): number => written.push(text);

beforeEach(() => {
  vi.useFakeTimers();
  written = [];
});
afterEach(() => {
  vi.useRealTimers();
});

it('writes a line every three seconds where nobody can draw', () => {
  const display = new ProgressDisplay('arena:s1', { write });
  display.report({ phase: 'waiting', behind: 1_234 });
  vi.advanceTimersByTime(3_000);
  display.report({ phase: 'loading', entries: 0 });
  vi.advanceTimersByTime(1_000);
  display.report({ phase: 'loading', entries: 90_000 });
  vi.advanceTimersByTime(2_000);
  display.close();
  vi.advanceTimersByTime(10_000);
  expect(written).toEqual([
    'arena:s1: waiting for the database, 1,234 records behind the board; a process with the role truth must be running\n',
    'arena:s1: 90,000 entries, 15,000 a second\n',
  ]);
});

it('draws a bar over and over on a terminal, inside its width, and takes it away', () => {
  const display = new ProgressDisplay('arena:s1', { isTTY: true, columns: 60, write });
  display.report({ phase: 'waiting', behind: 1_000 });
  vi.advanceTimersByTime(100);
  display.report({ phase: 'waiting', behind: 250 });
  vi.advanceTimersByTime(100);
  display.report({ phase: 'loading', entries: 7 });
  vi.advanceTimersByTime(300);
  display.close();
  const lines = written.map((text) => text.slice('\r\u001b[K'.length));
  expect(lines.every((line) => line.length < 60)).toBe(true);
  expect(lines[0]).toMatch(/^\[ {24}\] arena:s1: waiting/);
  expect(lines[1]).toMatch(/^\[#{18} {6}\] arena:s1: waiting/);
  expect(lines.slice(2, -1).map((line) => line.indexOf('#'))).toEqual([4, 5, 6]);
  expect(lines.at(-1)).toBe('');
});
