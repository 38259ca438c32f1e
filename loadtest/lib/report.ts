/** Outcome lines that a script can read: `key=value`, one a line, always the same keys in the same order. */

export type Figures = Readonly<Record<string, number | string>>;

export function printFigures(figures: Figures): void {
  for (const [key, value] of Object.entries(figures)) process.stdout.write(`${key}=${show(value)}\n`);
}

/** Progress goes to standard error, so that standard output holds nothing but figures. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function show(value: number | string): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 3 : 1);
}
