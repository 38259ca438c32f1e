/** Applies the results and orders of one submit in the order of the log, and sets the marks behind all of them. */

import type { ChangeLabel } from '../../domain/change.js';
import type { PlayerOrder, ScoredResult, SubmitBatch, SubmitOutcome } from '../ranking.js';
import type { CallWrites } from './call-writes.js';
import type { MarkRequest } from './player-marks.js';
import type { TagLedger } from './tag-ledger.js';

const LABELS: Readonly<Record<PlayerOrder['order'], ChangeLabel | null>> = {
  recompute: null,
  correct: 'correction',
  hide: 'hide',
  unhide: 'hide',
};

/** Takes a checked batch that does not begin above `next`; answers one outcome per result. */
export function applyBatch(batch: SubmitBatch, ledger: TagLedger, writes: CallWrites): readonly SubmitOutcome[] {
  const next = ledger.next(batch);
  const toMark: MarkRequest[] = [];
  ledger.forget(writes.now);
  const outcomes = batch.results.map((result): SubmitOutcome => {
    if (result.offset < next) return 'skipped';
    if ('order' in result) {
      obey(result, ledger, writes);
      toMark.push({ playerId: result.playerId, lists: result.lists, label: LABELS[result.order] });
      return 'marked';
    }
    const outcome = take(result, ledger, writes);
    // It stands in no list, and truth names those where it counts.
    if (outcome === 'late') toMark.push({ playerId: result.playerId, lists: [], label: null });
    return outcome;
  });
  ledger.advance(batch);
  // Below these positions lies the whole call, so what it merged aside is dropped again with the old mark.
  ledger.mark(toMark);
  return outcomes;
}

/** What an order does beside marking. */
function obey({ order, playerId, lists, at }: PlayerOrder, { hidden }: TagLedger, writes: CallWrites): void {
  if (order === 'unhide') hidden.delete(playerId);
  if (order !== 'hide') return;
  hidden.add(playerId);
  for (const list of lists) writes.put(list, playerId, null, { at, label: LABELS.hide });
}

function take(result: ScoredResult, ledger: TagLedger, writes: CallWrites): SubmitOutcome {
  // Before anything else: truth counts what a hidden player reaches once he is shown again, and a copy that comes then must
  // not count beside it.
  const judged = ledger.judge(result, writes.now);
  if (judged !== 'new') return judged;
  if (ledger.hidden.has(result.playerId)) return 'hidden';
  ledger.marks.mergeAside(result);
  return writes.merge(result) ? 'applied' : 'no-record';
}
