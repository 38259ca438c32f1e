/** Duels for the flow test of lists, and every list they must lead to, by brute force and with no code of the server. */
import { randomUUID } from 'node:crypto';

export interface Duel {
  readonly matchId: string;
  readonly playerId: string;
  readonly points: number;
  /** Epoch milliseconds, whole seconds: no board's time unit is coarser. */
  readonly achievedAt: number;
  readonly scopes: Readonly<Record<string, string>>;
}

/** What is sent: a duel, or an order about one or about a player. */
export type DuelRecord =
  | Duel
  | { readonly kind: 'void' | 'correct'; readonly matchId: string; readonly playerId: string; readonly points?: number }
  | { readonly kind: 'hide' | 'unhide'; readonly playerId: string };

/** A board as brute force knows it. */
export interface DuelBoard {
  readonly rule: 'best' | 'latest' | 'sum';
  readonly order: 'high' | 'low';
  readonly subject: string | null;
  readonly periods: readonly string[];
  readonly zone: string;
  readonly scopes: readonly string[];
}

export interface Row {
  readonly rank: number;
  readonly playerId: string;
  readonly score: number;
}

const DAY_MS = 86_400_000;
const REPEAT_SHARE = 0.1;
const CONFLICT_SHARE = 0.05;

/** Over the last five days; few points and guilds, so that most tie; repeats, and copies that say otherwise. */
export function makeDuels(players: readonly string[], count: number, now: number): Duel[] {
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const duels: Duel[] = [];
  while (duels.length < count) {
    const earlier = duels[below(duels.length)];
    const chance = Math.random();
    if (earlier !== undefined && chance < REPEAT_SHARE) {
      duels.push(earlier);
    } else if (earlier !== undefined && chance < REPEAT_SHARE + CONFLICT_SHARE) {
      duels.push({ ...earlier, points: 999, scopes: { guild: 'other', region: 'r:0' } });
    } else {
      const at = now - 60_000 - below(5 * 24 * 60) * 60_000;
      duels.push({
        matchId: randomUUID(),
        playerId: players[below(players.length)] ?? '',
        points: 1 + below(40),
        achievedAt: Math.floor(at / 1_000) * 1_000,
        scopes: below(8) === 0 ? {} : { guild: `g${below(5)}`, region: `r:${below(2)}` },
      });
    }
  }
  return duels;
}

/** Orders anywhere among the duels, also before what they are about. */
export function withOrders(duels: readonly Duel[], players: readonly string[]): DuelRecord[] {
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const records: DuelRecord[] = [...duels];
  const put = (record: DuelRecord) => records.splice(below(records.length + 1), 0, record);
  for (let i = 0; i < duels.length / 40; i += 1) {
    const { matchId, playerId } = duels[below(duels.length)] ?? { matchId: '', playerId: '' };
    put({ kind: 'void', matchId, playerId });
    const other = duels[below(duels.length)] ?? { matchId: '', playerId: '' };
    put({ kind: 'correct', matchId: other.matchId, playerId: other.playerId, points: 41 + below(10) });
    put({ kind: below(3) === 0 ? 'hide' : 'unhide', playerId: players[below(players.length)] ?? '' });
  }
  return records;
}

/** What counts in the end, record by record: the first content of a match, its last correction, unless it was voided. */
export function settle(records: readonly DuelRecord[]): {
  readonly duels: Duel[];
  readonly hidden: ReadonlySet<string>;
} {
  const first = new Map<string, Duel>();
  const corrected = new Map<string, number>();
  const voided = new Set<string>();
  const hidden = new Set<string>();
  for (const record of records) {
    if (!('kind' in record)) {
      if (!first.has(record.matchId)) first.set(record.matchId, record);
    } else if (record.kind === 'void') voided.add(record.matchId);
    else if (record.kind === 'correct') corrected.set(record.matchId, record.points ?? 0);
    else if (record.kind === 'hide') hidden.add(record.playerId);
    else hidden.delete(record.playerId);
  }
  const duels = [...first.values()]
    .filter(({ matchId }) => !voided.has(matchId))
    .map((duel) => ({ ...duel, points: corrected.get(duel.matchId) ?? duel.points }));
  return { duels, hidden };
}

/** The rows of every list, by the query that asks for it over HTTP. */
export function expectedLists(board: DuelBoard, records: readonly DuelRecord[]): Map<string, Row[]> {
  const { duels, hidden } = settle(records);
  const lists = new Map<string, Duel[]>();
  for (const duel of duels) {
    const subject = board.subject === null ? duel.playerId : duel.scopes[board.subject];
    if (subject === undefined || (board.subject === null && hidden.has(subject))) continue;
    for (const query of queriesOf(board, duel)) {
      lists.set(query, [...(lists.get(query) ?? []), { ...duel, playerId: subject }]);
    }
  }
  return new Map([...lists].map(([query, some]) => [query, rank(board, some)]));
}

function queriesOf(board: DuelBoard, { achievedAt, scopes }: Duel): string[] {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: board.zone }).format(achievedAt);
  const periods = [
    '',
    ...board.periods.map((period) => `period=${period === 'day' ? `d:${date}` : `w:${isoWeek(date)}`}`),
  ];
  const values = [
    '',
    ...board.scopes.flatMap((scope) => {
      const value = scopes[scope];
      return value === undefined ? [] : [`scope=${encodeURIComponent(`${scope}:${value}`)}`];
    }),
  ];
  return periods.flatMap((period) => values.map((value) => [period, value].filter((part) => part !== '').join('&')));
}

/** By the Thursday of the week, as ISO 8601 defines it. */
export function isoWeek(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  const thursday = new Date(day.getTime() + (4 - (day.getUTCDay() || 7)) * DAY_MS);
  const newYear = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - newYear) / DAY_MS / 7) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

function rank({ rule, order }: DuelBoard, duels: readonly Duel[]): Row[] {
  const sign = order === 'high' ? 1 : -1;
  const byPlace = (a: Duel, b: Duel) => sign * (b.points - a.points) || a.achievedAt - b.achievedAt;
  const byTime = (a: Duel, b: Duel) => b.achievedAt - a.achievedAt || byPlace(a, b);
  const entries = new Map<string, Duel>();
  for (const duel of duels) {
    const known = entries.get(duel.playerId);
    if (known === undefined) entries.set(duel.playerId, duel);
    else if (rule === 'sum') {
      const achievedAt = Math.max(known.achievedAt, duel.achievedAt);
      entries.set(duel.playerId, { ...known, points: known.points + duel.points, achievedAt });
    } else if ((rule === 'best' ? byPlace : byTime)(duel, known) < 0) entries.set(duel.playerId, duel);
  }
  return [...entries.values()]
    .sort((a, b) => byPlace(a, b) || Buffer.compare(Buffer.from(b.playerId), Buffer.from(a.playerId)))
    .map(({ playerId, points }, index) => ({ rank: index + 1, playerId, score: points }));
}
