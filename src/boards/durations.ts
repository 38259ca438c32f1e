/** Durations as people write them: `500ms`, `30s`, `15m`, `1h`, `7d`. */

export const DURATION_PATTERN = /^(\d{1,9})(ms|s|m|h|d)$/;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or `undefined` where the text is no duration. A day is 24 hours. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = DURATION_PATTERN.exec(text) ?? [];
  const unitMs = UNIT_MS[unit ?? ''];
  return count === undefined || unitMs === undefined ? undefined : Number(count) * unitMs;
}
