/** Match results for the flow tests, and the ranking they must lead to, by brute force and with no code of the server. */
import { randomUUID } from 'node:crypto';

export interface MatchResult {
  readonly matchId: string;
  readonly playerId: string;
  readonly mode: string;
  readonly points: number;
  /** Epoch milliseconds. */
  readonly achievedAt: number;
}

export interface RankedPlayer {
  readonly rank: number;
  readonly playerId: string;
  readonly points: number;
}

/** Few enough points and times that most results tie with others, some of them in both. */
const POINTS = 120;
const TIMES = 40;
const REPEAT_SHARE = 0.15;
/** The default board's season, and the time unit that fits it. */
const SEASON_START = Date.UTC(2026, 0, 1);
const TIME_UNIT_MS = 100;

/** Ids that other sort orders would place elsewhere, among plain ones. */
const ODD_IDS = ['😀-smile', 'Ａ-wide', 'ﬀ-ligature', 'é', 'z', 'a}b{c', '{}', 'x:y', '*', 'p{x}'];

export function makePlayers(count: number): string[] {
  return Array.from({ length: count }, (_, i) => ODD_IDS[i] ?? `player-${i}`);
}

/** `count` results, repeats among them: the same match of the same player, sent again later. */
export function makeResults(players: readonly string[], count: number): MatchResult[] {
  const now = Date.now();
  const results: MatchResult[] = [];
  while (results.length < count) {
    const earlier = results[Math.floor(Math.random() * results.length)];
    if (earlier !== undefined && Math.random() < REPEAT_SHARE) {
      results.push(earlier);
      continue;
    }
    results.push({
      matchId: randomUUID(),
      playerId: players[Math.floor(Math.random() * players.length)] ?? '',
      mode: 'arena',
      points: Math.floor(Math.random() * POINTS),
      achievedAt: now - 60_000 - Math.floor(Math.random() * TIMES) * TIME_UNIT_MS,
    });
  }
  return results;
}

/** The share of results whose points another player has as well. */
export function tieShare(results: readonly MatchResult[]): number {
  const players = new Map<number, Set<string>>();
  for (const { points, playerId } of results) players.set(points, (players.get(points) ?? new Set()).add(playerId));
  return results.filter(({ points }) => (players.get(points)?.size ?? 0) > 1).length / results.length;
}

/** Best points, then the earlier time, then the higher id by its bytes. */
export function bruteForceRanking(results: readonly MatchResult[]): RankedPlayer[] {
  const best = new Map<string, MatchResult>();
  for (const result of results) {
    const known = best.get(result.playerId);
    if (known === undefined || compare(result, known) < 0) best.set(result.playerId, result);
  }
  const ranked = [...best.values()].sort(
    (a, b) => compare(a, b) || Buffer.compare(Buffer.from(b.playerId), Buffer.from(a.playerId)),
  );
  return ranked.map(({ playerId, points }, i) => ({ rank: i + 1, playerId, points }));
}

function compare(a: MatchResult, b: MatchResult): number {
  return b.points - a.points || timeUnit(a) - timeUnit(b);
}

function timeUnit({ achievedAt }: MatchResult): number {
  return Math.floor((achievedAt - SEASON_START) / TIME_UNIT_MS);
}
