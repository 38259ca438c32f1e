/** A boards file in the long form: two modes that share some fields, and one board over both. */

const season = { id: '1', startsAt: '2026-07-01', endsAt: '2026-10-01' };

export const MODES: readonly object[] = [
  { id: 'duel', fields: { kills: { min: 1, max: 100 }, deaths: { max: 63 }, winRate: { max: 1000 } } },
  { id: 'siege', fields: { kills: { max: 500 }, winRate: { max: 1000 }, deaths: { max: 20 } } },
];

/** The text of the file, its board changed: both modes, if it does not say otherwise. */
export function fileWith(board: object, modes: readonly object[] = MODES): string {
  return JSON.stringify({
    modes,
    boards: [{ id: 'all', modes: ['duel', 'siege'], ...board }],
    calendar: { seasons: [season] },
  });
}
