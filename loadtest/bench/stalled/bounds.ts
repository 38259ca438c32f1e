/** What is promised of readers that stop, against what became of them. */

import { CloseCode } from '../../../proto/close-codes.js';
import { MAX_SERVER_FRAME_BYTES } from '../../../proto/frames.js';

/** Id, points, ranks, time and packed score of a friend, with what msgpack puts around them. */
const MAX_ROW_BYTES = 64;
const CORK_BYTES = 16_384;

export interface StalledOutcome {
  readonly rowsPerWindow: number;
  readonly outboxBytesPerSession: number;
  /** Codes of the sockets that did not read again in time; `null`: still open. */
  readonly closeCodes: readonly (number | null)[];
  /** Of each reader that went on in time. */
  readonly catchUps: readonly { readonly isDone: boolean; readonly bytes: number }[];
  /** Failures of sockets, in words. */
  readonly failures: readonly string[];
  readonly unshown: number;
  readonly mismatched: number;
}

/** What src/gateway/outbox.ts promises: a flush and a window more, answers, and in the socket a message and a cork. */
export function outboxLimitBytes(rowsPerWindow: number): number {
  return flushLimitBytes(rowsPerWindow) + MAX_SERVER_FRAME_BYTES + MAX_SERVER_FRAME_BYTES + CORK_BYTES;
}

/** In words; none where all is kept. */
export function findBroken(outcome: StalledOutcome): string[] {
  const { rowsPerWindow, outboxBytesPerSession, closeCodes, catchUps, failures, unshown, mismatched } = outcome;
  const limit = outboxLimitBytes(rowsPerWindow);
  const wrong = closeCodes.filter((code) => code !== CloseCode.tooSlow);
  const wrongEnds = [...new Set(wrong)].map((code) => code ?? 'no close');
  const late = catchUps.filter(({ isDone }) => !isDone);
  const large = catchUps.filter(({ bytes }) => bytes > flushLimitBytes(rowsPerWindow));
  return [
    ...(outboxBytesPerSession > limit ? [`a blocked session holds ${outboxBytesPerSession} bytes of ${limit}`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} that stopped for good ended with ${wrongEnds.join(', ')}`] : []),
    ...(late.length > 0 ? [`${late.length} that read again were not brought to the present`] : []),
    ...(large.length > 0 ? [`${large.length} that read again were sent more than the present`] : []),
    ...failures,
    ...(unshown > 0 ? [`${unshown} results were never shown`] : []),
    ...(mismatched > 0 ? [`${mismatched} windows are wrong at the end`] : []),
  ];
}

function flushLimitBytes(rowsPerWindow: number): number {
  return 4 * MAX_SERVER_FRAME_BYTES + rowsPerWindow * MAX_ROW_BYTES;
}
