/** List ids as clients name them: `arena;s=12;w=2026-W42;guild=77`, see PROTOCOL.md. */

import { ErrorCode } from '../../proto/frames.js';
import { NAME_PATTERN } from '../domain/ids.js';
import type { ListChoice } from '../domain/list-choice.js';
import type { Period } from '../domain/periods.js';
import { RefusedError } from './refusal.js';

export interface ListId {
  readonly boardId: string;
  /** `undefined`: the current one. */
  readonly seasonId: string | undefined;
  readonly choice: ListChoice;
}

/** In this order, each of them at most once: season, period, scope. */
const FORM = /^([^;=]+)(?:;s=([^;=]+))?(?:;(d|w)(?:=([^;=]+))?)?(?:;(?![sdw]=)([^;=]+)=([^;=]+))?$/;
const PERIODS: Readonly<Record<string, Period>> = { d: 'day', w: 'week' };

/** Throws a 404 `RefusedError` for a name that no board or season can have, and 422 for what is no list id. */
export function readListId(text: string): ListId {
  const [, boardId = '', seasonId, letter = '', label, scope, value = ''] = FORM.exec(text) ?? [];
  if (boardId === '') throw notAnId();
  if (![boardId, ...(seasonId === undefined ? [] : [seasonId])].every((name) => NAME_PATTERN.test(name))) {
    throw new RefusedError(ErrorCode.notFound, 'no such board or season');
  }
  const kind = PERIODS[letter];
  return {
    boardId,
    seasonId,
    choice: {
      period: kind === undefined ? null : { kind, label: label ?? null },
      scope: scope === undefined ? null : { name: scope, value: decode(value) },
    },
  };
}

/** Values of scopes are percent-encoded: they may hold what has a meaning in an id. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw notAnId();
  }
}

function notAnId(): RefusedError {
  const form = 'board[;s=season][;d[=2026-10-12]|;w[=2026-W42]][;scope=value], the value percent-encoded';
  return new RefusedError(ErrorCode.badArgument, `a list id is ${form}`);
}
