/** What may follow `rankcast dlq`, and the text that explains it. */

import { parseArgs } from 'node:util';
import { UsageError } from '../domain/errors.js';

export const DLQ_USAGE = `rankcast dlq: records that could not be read or were not allowed, and their second chance

  rankcast dlq list [--reason r] [--limit n]
      one line of JSON for each letter that waits: where it came from, reason, detail, at, key and value (text; where
      it is not UTF-8, keyBase64 and valueBase64), and truncated where the letter holds only a part of the record

  rankcast dlq replay [--reason r] [--dry-run]
      appends the records to the log again, as they came and in order, once: what was replayed waits no longer. Servers
      may run meanwhile. Every record is judged as if it were new, by the time of its new arrival: one that is refused
      again comes back as a new letter, and a result achieved longer ago than the boards file's maxLateness comes back
      as too_late, whatever it was refused for at first (the last line counts them, by the clock of this machine). An
      order such as a correction counts from when it is replayed. Letters marked truncated stay.
      The last line: replayed=12 left=3 too_late=1 reason=all (with --dry-run, which sends nothing: would_replay=12 ...)

With Kafka, the group <RANKCAST_KAFKA_GROUP_PREFIX>-dlq remembers what was replayed: its offset is the first letter that
waits, its metadata how far each reason was sent. A process that dies sends at most its last few hundred records again. A
group that is not used for offsets.retention.minutes (7 days) is forgotten by Kafka: letters that the topic still holds then
wait again. Sending a result twice changes nothing.
`;

export interface DlqOrder {
  readonly action: 'list' | 'replay';
  /** `null`: whatever the reason. */
  readonly reason: string | null;
  /** How many lines at most; `Infinity` by default. */
  readonly limit: number;
  readonly isDryRun: boolean;
}

const OPTIONS = {
  reason: { type: 'string' },
  limit: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** `null`: the person asks for help. Throws `UsageError` for what is no order. */
export function readDlqArguments(args: readonly string[]): DlqOrder | null {
  const { values, positionals } = parse(args);
  const [action, ...more] = positionals;
  if (values.help || action === undefined) return null;
  if ((action !== 'list' && action !== 'replay') || more.length > 0) {
    throw new UsageError(`"dlq ${positionals.join(' ')}" is not a command\n\n${DLQ_USAGE}`);
  }
  if (action === 'replay' && values.limit !== undefined) throw new UsageError('--limit is only for dlq list');
  if (action === 'list' && values['dry-run']) throw new UsageError('--dry-run is only for dlq replay');
  const limit = Number(values.limit ?? Number.POSITIVE_INFINITY);
  if (!(limit >= 1)) throw new UsageError(`--limit must be a number from 1 on, not "${values.limit}"`);
  return { action, reason: values.reason ?? null, limit, isDryRun: values['dry-run'] };
}

/** A misspelled --reason must not replay everything, and its explanation is a sentence. */
function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(`dlq: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
