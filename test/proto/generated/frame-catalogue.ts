/** What the generated documents say about each frame beside its schema: who sends it, its fields by name, one sentence. */

import type { FrameType } from '../../../proto/frames.js';

export type FrameName = keyof typeof FrameType;

export interface FrameEntry {
  readonly direction: 'client' | 'server' | 'both';
  /** The fields after the type, as section 6 of PROTOCOL.md writes them; a test compares the two. */
  readonly fields: string;
  readonly summary: string;
}

export const frameCatalogue: Readonly<Record<FrameName, FrameEntry>> = {
  batch: {
    direction: 'server',
    fields: 'frames[]',
    summary: 'Several frames in one message, applied in order; never nested.',
  },
  hello: {
    direction: 'client',
    fields: 'token s?, client s, caps u, sessionId s?',
    summary: 'The first frame of a socket: who the client is and what it reads.',
  },
  welcome: {
    direction: 'server',
    fields:
      'sessionId s, now n, heartbeatMs u, expiresInMs n?, playerId s?, ' +
      'limits [topics u, frameBytes u, framesPer10s u, bytesPer10s u], caps u, build s',
    summary: 'HELLO was accepted; what holds for the session.',
  },
  ping: { direction: 'both', fields: 'nonce u?', summary: 'A sign of life from the server, a question from a client.' },
  pong: { direction: 'server', fields: 'nonce u?, now n', summary: "The answer to a client's PING." },
  error: {
    direction: 'server',
    fields: 'reqId u, code u, message s, retryAfterMs u?',
    summary: 'What a client asked for failed; the session goes on.',
  },
  goaway: {
    direction: 'server',
    fields: 'reason u, retryAfterMs u, graceMs u, url s?',
    summary: 'This server stops; the client moves to another socket within graceMs.',
  },
  refresh: { direction: 'client', fields: 'reqId u, token s', summary: 'A newer token of the same player.' },
  refreshed: { direction: 'server', fields: 'reqId u, expiresInMs n?', summary: 'The newer token counts.' },
  subscribe: {
    direction: 'client',
    fields: 'reqId u, kind u, boardId s, args [], epoch u?, seq n?, minIntervalMs u?, more b?',
    summary: 'Watch a window, from the position that the client holds.',
  },
  subscribed: {
    direction: 'server',
    fields: 'reqId u, topic u, start u, epoch u, seq n, board []',
    summary: 'The window has a topic; start says what follows.',
  },
  unsubscribe: { direction: 'client', fields: 'reqId u, topic u', summary: 'Watch the window no longer.' },
  unsubscribed: {
    direction: 'server',
    fields: 'reqId u, topic u, code u, message s',
    summary: "The topic ended, as asked or by the server's wish.",
  },
  resync: {
    direction: 'client',
    fields: 'topic u, epoch u, seq n, why u',
    summary: 'The window is not right: send it whole.',
  },
  snapshot: {
    direction: 'server',
    fields: 'topic u, epoch u, seq n, first u, total n, entries [], at n, more b?',
    summary: 'The whole window, in one part or several.',
  },
  delta: {
    direction: 'server',
    fields: 'topic u, seq n, span u, removed u[], placed [], first u?, total n?, at n',
    summary: 'What changed in a window over span steps of seq, absolute.',
  },
  rank: {
    direction: 'server',
    fields: 'topic u, seq n, rank u?, prevRank u?, score n?, total n, gapAbove n?, bestRank u?, at n, epoch u, tier s?',
    summary: "The player's own place, absolute.",
  },
  board: {
    direction: 'server',
    fields: 'topic u, state u, board []?',
    summary: 'The window shows another list from now on, or its board another state.',
  },
  sync: {
    direction: 'server',
    fields: 'topic u, epoch u, seq n, check u?',
    summary: 'Where a window stands, and a checksum of what it should show.',
  },
};

/** The names of the fields after the type: `limits [topics u, ...]` is one field. */
export function fieldNames(entry: FrameEntry): readonly string[] {
  return entry.fields
    .replace(/\[[^\]]*,[^\]]*\]/g, '')
    .split(', ')
    .map((field) => field.replace(/[ [].*$/, ''));
}
