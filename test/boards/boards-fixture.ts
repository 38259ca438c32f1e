/** A boards file in the short form: two modes of one field, two boards of one key. */

export const TWO_BOARDS = {
  maxLateness: '2d',
  modes: [
    { id: 'duel', points: { min: 10, max: 1000 } },
    { id: 'race', points: { max: 4000 } },
  ],
  boards: [
    { id: 'all', title: 'Everything', modes: ['duel', 'race'], topSize: 10 },
    { id: 'race', modes: ['race'], rule: 'best', order: 'high' },
  ],
  calendar: {
    grace: '15m',
    seasons: [
      { id: 12, startsAt: '2026-07-01', endsAt: '2026-10-01T02:00:00+02:00' },
      { id: '13', startsAt: '2026-10-01T00:00:00Z', endsAt: '2027-01-01' },
    ],
  },
};

export type BoardsFile = typeof TWO_BOARDS;

/** The file above with a change; JSON is YAML. */
export function changed(change: (file: BoardsFile) => unknown): string {
  const file = structuredClone(TWO_BOARDS);
  change(file);
  return JSON.stringify(file);
}
