/** Entity tags of windows (RFC 9110, 8.8.3): who asks again with the one he has is told that nothing moved, without a body. */

import { crc32 } from 'node:zlib';
import type { TagPosition } from '../domain/change.js';
import type { HttpRequest, HttpResponse } from './http.js';
import type { Target } from './targets.js';

/**
 * What a URL shows follows from the list that it means now, the seq, and what the definition adds to rows. Weak, because `at` is the moment
 * of the read.
 */
export function windowTag({ list, boardSeason: { board } }: Target, { epoch, seq }: TagPosition): string {
  const shown = crc32(JSON.stringify([list.definitionHash, list.list, board.tiers])).toString(16);
  return `W/"${epoch.toString(16)}-${seq.toString(16)}-${shown}"`;
}

/** The response under its tag, or 304 where the request names that. */
export function tagged(request: HttpRequest, response: HttpResponse, tag: string): HttpResponse {
  const headers = { ...response.headers, etag: tag };
  if (!isKnown(request.header('if-none-match'), tag)) return { ...response, headers };
  const { 'content-type': _type, ...others } = headers as Record<string, string>;
  return { status: 304, headers: others, body: '' };
}

/** Weak comparison, as the RFC wants it for this header. */
function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const known = header.split(',').map((part) => part.trim());
  return known.some((one) => one === '*' || one.replace(/^W\//, '') === tag.replace(/^W\//, ''));
}
