/** The built-in boards file: one board over one mode, in one season that is open for years. */

/** 21 bits of points leave 32 bits of time: 100 ms over five years. */
export const DEFAULT_BOARDS = `# Rankcast boards file (schema: proto/boards.schema.json)
maxLateness: 7d
modes:
  - id: arena
    points: { min: 0, max: 2097151 }
boards:
  - id: arena
    title: Arena
    modes: [arena]
    rule: best
    order: high
    topSize: 100
calendar:
  grace: 1h
  seasons:
    - id: "1"
      startsAt: 2026-01-01T00:00:00Z
      endsAt: 2031-01-01T00:00:00Z
`;
