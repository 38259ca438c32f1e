/** The steps of flows.json, and the frames that most flows share. */

import { WindowKind } from '../../../proto/frames.js';

/** `any` matches everything; `as` too, and remembers it; `is` stands for what was remembered. */
export type Pattern = null | boolean | number | string | Hole | readonly Pattern[];
export type Hole = { readonly any: true } | { readonly as: string } | { readonly is: string };
/** `[playerId, score, rank]` in the order shown; the one row of `me` has nil for playerId. */
export type Row = readonly [playerId: string | null, score: number | null, rank: number | null];

export type Step =
  | {
      readonly watch: string;
      readonly kind: WindowKind;
      readonly boardId: string;
      readonly args: readonly (number | boolean | null)[];
    }
  | { readonly leave: string }
  | { readonly token: string | null }
  | { readonly open: number; readonly withinMs: number; readonly url?: string }
  | { readonly expect: Pattern; readonly on?: number; readonly withinMs?: number }
  | { readonly expectEach: readonly Pattern[]; readonly on?: number; readonly withinMs?: number }
  | { readonly send: readonly Pattern[]; readonly on?: number }
  | { readonly close: number; readonly on?: number }
  | { readonly quiet: number }
  | { readonly shows: string; readonly rows: readonly Row[] | null };

/** What a client may do without; it says so in `caps`, or skips the frame. */
export type Need = 'batch' | 'sync' | 'refresh' | 'goaway';

export interface Flow {
  readonly name: string;
  readonly needs?: readonly Need[];
  /** What the application answers when the client asks for a token, until a step changes it. */
  readonly token: string | null;
  readonly steps: readonly Step[];
}

export const E = 305_419_896;
export const AT = 1_791_828_201_417;
/** Longer than any flow: such flows need no signs of life. */
export const CALM_MS = 86_400_000;
/** The longest wait of section 9 before another try. */
export const RECONNECT_MS = 20_000;

export const ANY = { any: true } as const;
export const as = (name: string) => ({ as: name });
export const is = (name: string) => ({ is: name });

export const top = (window: string, boardId = 'arena'): Step => {
  return { watch: window, kind: WindowKind.top, boardId, args: [3] };
};
export const me = (window: string): Step => ({ watch: window, kind: WindowKind.me, boardId: 'arena', args: [] });
export const friends = (window: string): Step => {
  return { watch: window, kind: WindowKind.friends, boardId: 'arena', args: [] };
};
export const shows = (window: string, ...rows: readonly Row[]): Step => ({ shows: window, rows });

interface Greeting {
  readonly token?: string | null;
  readonly playerId?: string | null;
  readonly expiresInMs?: number | null;
  readonly heartbeatMs?: number;
  readonly url?: string;
}

/** Socket `number` opens, greets with the session before it, and is welcomed as session `s<number>`. */
export function greeted(number: number, withinMs: number, greeting: Greeting = {}): readonly Step[] {
  const { token = null, playerId = null, expiresInMs = null, heartbeatMs = 25_000, url } = greeting;
  const sessionId = number === 1 ? null : `s${number - 1}`;
  return [
    { open: number, withinMs, ...(url === undefined ? {} : { url }) },
    { expect: [1, token, ANY, ANY, sessionId] },
    {
      send: [2, `s${number}`, AT, heartbeatMs, expiresInMs, playerId, [32, 4_096, 60, 65_536], 7, '0.1.0'],
    },
  ];
}

export const asks = (
  name: string,
  kind: WindowKind,
  position: Pattern[] = [null, null],
  boardId = 'arena',
): Pattern => {
  return [16, as(name), kind, boardId, kind === WindowKind.top ? [3] : [], ...position];
};
export const asksTop = (name: string, position?: Pattern[]): Step => ({ expect: asks(name, WindowKind.top, position) });
export const asksMe = (name: string, position?: Pattern[]): Step => ({ expect: asks(name, WindowKind.me, position) });

export const answer = (name: string, topic: number, start: number, seq: number, epoch = E, boardId = 'arena') => {
  const board = [boardId, 'Arena', '12', 0, 0, 0, 0, null, null, 0] as const;
  return { send: [17, is(name), topic, start, epoch, seq, board] } as const;
};

/** Ada 1518, Bo 1500, Cy 1490 under refs 1 to 3. */
export const THREE = [
  [1, 1_518, null, 'ada', 'Ada'],
  [2, 1_500, null, 'bo', 'Bo'],
  [3, 1_490, null, 'cy', null],
] as const;
export const THREE_SHOWN: readonly Row[] = [
  ['ada', 1_518, 1],
  ['bo', 1_500, 2],
  ['cy', 1_490, 3],
];
export const CY_FIRST_SHOWN: readonly Row[] = [
  ['cy', 1_600, 1],
  ['ada', 1_518, 2],
  ['bo', 1_500, 3],
];

export const snapshot = (topic: number, seq: number, entries: readonly Pattern[] = THREE, epoch = E) => {
  return { send: [32, topic, epoch, seq, 1, 90_210, entries, AT] } as const;
};
export const part = (topic: number, seq: number, entries: readonly Pattern[]) => {
  return { send: [32, topic, E, seq, 1, 90_210, entries, AT, true] } as const;
};
export const delta = (topic: number, seq: number, span: number, placed: readonly Pattern[], removed: number[] = []) => {
  return { send: [33, topic, seq, span, removed, placed, null, null, AT] } as const;
};
/** Cy's best: first with 1600. */
export const cyFirst = (topic: number, seq: number, span = 1) => delta(topic, seq, span, [[0, 3, 1_600]]);
export const rank = (topic: number, seq: number, place: number | null, score: number | null, epoch = E) => {
  return { send: [34, topic, seq, place, null, score, 90_210, null, null, AT, epoch] } as const;
};

/** Top `a` watched under topic 7, standing at (E, 41). */
export const watchingTop: readonly Step[] = [
  top('a'),
  ...greeted(1, 1_000),
  asksTop('r1'),
  answer('r1', 7, 0, 41),
  snapshot(7, 41),
  shows('a', ...THREE_SHOWN),
];
