/** `rankcast dlq`: shows the dead letters that wait, and sends their records to the log again. */

import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { loadBoards } from '../boards.js';
import type { Config } from '../config.js';
import type { BoardSet } from '../domain/board.js';
import { Lifecycle } from '../ops/lifecycle.js';
import { type DeadLetterBox, isReplayed, type WaitingLetter } from '../results/dead-letter-box.js';
import { KafkaDeadLetterBox } from '../results/dead-letter-box-kafka.js';
import { PostgresDeadLetterBox } from '../results/dead-letter-box-postgres.js';
import { describeLetter } from '../results/dead-letter-line.js';
import { createKafka } from '../results/kafka-client.js';
import { KafkaProducer } from '../results/kafka-producer.js';
import { readRecord } from '../results/record-parser.js';
import { inTransaction } from '../truth/transaction.js';
import type { DlqOrder } from './dlq-arguments.js';
import { openDatabase } from './stores.js';

export interface DlqCommandOptions {
  readonly config: Config;
  /** Must not write to where `print` does. */
  readonly logger: Logger;
  /** What `readDlqArguments` answered. */
  readonly order: DlqOrder;
  /** One line for whoever reads the answer. */
  readonly print: (line: string) => void;
  /** One line for a person who waits. */
  readonly progress: (line: string) => void;
}

const PROGRESS_EVERY_MS = 1_000;

export async function runDlq(options: DlqCommandOptions): Promise<void> {
  const boardSet = loadBoards(options.config.boardsFile);
  const lifecycle = new Lifecycle({ logger: options.logger });
  try {
    const box = await openBox(options, lifecycle);
    if (options.order.action === 'list') await list(box, options);
    else await replay(box, boardSet, options);
  } finally {
    await lifecycle.stop();
  }
}

async function list(box: DeadLetterBox, { order: { reason, limit }, print }: DlqCommandOptions): Promise<void> {
  let printed = 0;
  await box.read((letters) => {
    const wanted = letters.filter((letter) => reason === null || letter.reason === reason).slice(0, limit - printed);
    for (const letter of wanted) print(describeLetter(letter));
    printed += wanted.length;
    return printed < limit;
  });
}

async function replay(box: DeadLetterBox, boardSet: BoardSet, options: DlqCommandOptions): Promise<void> {
  const { order, print, progress } = options;
  const { reason, isDryRun } = order;
  let replayed = 0;
  let left = 0;
  let tooLate = 0;
  let toldAt = Date.now();
  const count = (letters: readonly WaitingLetter[]): void => {
    replayed += letters.length;
    tooLate += letters.filter((letter) => isTooLate(letter, boardSet)).length;
    if (Date.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = Date.now();
    progress(`${replayed} records ${isDryRun ? 'looked at' : 'sent again'}`);
  };
  if (isDryRun) {
    await box.read((letters) => {
      const chosen = letters.filter((letter) => isReplayed(letter, reason));
      left += letters.length - chosen.length;
      count(chosen);
      return true;
    });
  } else {
    left = await box.replay(reason, count);
  }
  if (tooLate > 0) progress(`${tooLate} of them are too late by now: they come back as dead letters too_late`);
  const verb = isDryRun ? 'would_replay' : 'replayed';
  print(`${verb}=${replayed} left=${left} too_late=${tooLate} reason=${reason ?? 'all'}`);
}

/** As the judge will find it, but for the difference of the clocks. */
function isTooLate({ key, value }: WaitingLetter, boardSet: BoardSet): boolean {
  const read = readRecord({ offset: 0, key, value, brokerAt: Date.now() }, boardSet);
  return read.kind === 'rejected' && read.rejection.code === 'too_late';
}

async function openBox({ config, logger }: DlqCommandOptions, lifecycle: Lifecycle): Promise<DeadLetterBox> {
  const { stores, kafka: names } = config;
  if (stores.kind !== 'full') {
    // The embedded one is refused with a sentence where a server runs on its folder.
    const pool = await openDatabase({ config, lifecycle, logger });
    const transact = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => inTransaction(pool, work);
    return new PostgresDeadLetterBox({ pool, transact });
  }
  const { topic, groupPrefix } = names;
  const kafka = createKafka({ brokers: stores.brokers, logger });
  const producer = await lifecycle.start(
    'producer',
    () => new KafkaProducer(kafka, topic),
    (started) => started.close(),
  );
  const append = producer.append.bind(producer);
  return await lifecycle.start(
    'dead letters',
    () => new KafkaDeadLetterBox({ kafka, topic, group: `${groupPrefix}-dlq`, append }),
    (started) => started.close(),
  );
}
