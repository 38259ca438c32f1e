/** From a record's bytes to a judged result: the one way in for truth and for ranking, so that they agree on every record. */

import type { BoardSet } from '../domain/board.js';
import { type ControlRecord, readControlRecord } from '../domain/control-record.js';
import type { LogRecord } from '../domain/log-record.js';
import { judgeResult, type Rejection, type Result } from '../domain/result.js';

export type ReadRecord =
  /** A null value: a defined no-op. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'result'; readonly result: Result }
  | ControlRecord
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/** A result with all its scopes is below 4 KiB; JSON of a megabyte would hold up its neighbours. */
const MAX_VALUE_BYTES = 64 * 1_024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The key is not looked at: the player is in the value. Never throws for what a producer sent. */
export function readRecord(record: LogRecord, boardSet: BoardSet): ReadRecord {
  if (record.value === null) return { kind: 'nothing' };
  if (record.value.length > MAX_VALUE_BYTES) {
    return rejected('too_large', `a record is at most ${MAX_VALUE_BYTES} bytes, this one has ${record.value.length}`);
  }
  const text = decode(record.value);
  if (text === undefined) return rejected('bad_utf8', 'the record is not UTF-8 text');
  const json = parse(text);
  if (json === undefined) return rejected('bad_json', 'the record is not JSON');
  const control = readControlRecord(json.value, boardSet);
  if (control !== undefined) return control;
  const verdict = judgeResult(json.value, record.brokerAt, boardSet);
  if (verdict.accepted) return { kind: 'result', result: verdict.result };
  return { kind: 'rejected', rejection: verdict.rejection };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function rejected(code: string, message: string): ReadRecord {
  return { kind: 'rejected', rejection: { field: '', code, message } };
}
