/** The first difference between what a window shows and what it should. */

import type { Difference } from './window-kind.js';

export interface ShownRow {
  readonly playerId: string;
  readonly rank: number | null;
  readonly score: number | null;
}

export interface ShownState {
  readonly total: number;
  readonly stale: boolean;
}

/** Rows, their order, the total where it is told, and whether the window says itself that it may be behind. */
export function compareWindow(
  state: ShownState | null,
  rows: readonly ShownRow[],
  expected: { readonly rows: readonly ShownRow[]; readonly total?: number },
): Difference | null {
  if (state === null) return { place: 'window', expected: 'rows', shown: 'nothing yet' };
  if (state.stale) return { place: 'window', expected: 'the present', shown: 'a state that it calls stale' };
  for (let index = 0; index < Math.max(rows.length, expected.rows.length); index++) {
    const [shown, right] = [describeRow(rows[index]), describeRow(expected.rows[index])];
    if (shown !== right) return { place: `row ${index + 1}`, expected: right, shown };
  }
  if (expected.total === undefined || state.total === expected.total) return null;
  return { place: 'total', expected: String(expected.total), shown: String(state.total) };
}

function describeRow(row: ShownRow | undefined): string {
  return row === undefined ? 'no row' : `${JSON.stringify(row.playerId)} rank ${row.rank} score ${row.score}`;
}
