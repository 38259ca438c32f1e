/** Numbers and times as the reader's locale writes them. */

const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 2 });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** In full up to seven digits, then short. */
export function formatScore(score: number): string {
  return Math.abs(score) < 10_000_000 ? whole.format(score) : compact.format(score);
}

export function formatCount(count: number): string {
  return whole.format(count);
}

export function formatTime(at: number): string {
  return clock.format(at);
}

export function formatDay(at: number): string {
  return day.format(at);
}
