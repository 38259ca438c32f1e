/** What the server says about a board over HTTP: its definition, and the rows that it has before the run. */

import type { BoardFacts } from './board-facts.js';
import type { RankedRow } from './brute-force.js';
import { describe } from './game-server.js';
import type { ListSpec } from './lists.js';
import { VerifyError } from './verify-error.js';

interface BoardAnswer extends Omit<BoardFacts, 'mode' | 'field'> {
  readonly modes: readonly string[];
  readonly keys: readonly { readonly field: string }[];
  readonly subject: string;
}

interface EntriesAnswer {
  readonly entries: readonly { readonly rank: number; readonly playerId: string; readonly score: number }[];
  readonly next: number | null;
}

const PAGE = 1_000;
/** Beyond it every quiet point would take seconds of sorting. */
const MAX_ROWS = 50_000;
const ANSWER_WITHIN_MS = 10_000;

export class BoardReader {
  constructor(
    private readonly url: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws `VerifyError` for a board that is not there or not of a kind that this run can reckon. */
  async facts(boardId: string): Promise<BoardFacts> {
    const board = (await this.read(`/v1/boards/${encodeURIComponent(boardId)}`)) as BoardAnswer;
    const [mode] = board.modes;
    const [key] = board.keys;
    if (mode === undefined || key === undefined || board.keys.length > 1) {
      throw new VerifyError(`board ${boardId} has several keys: verify reckons boards of one key`);
    }
    if (board.subject !== 'player') {
      throw new VerifyError(`board ${boardId} ranks by ${board.subject}: verify reckons boards that rank players`);
    }
    return { ...board, mode, field: key.field };
  }

  /** All rows of a list but those of `isOwn`, best first. */
  async rows({ query }: ListSpec, boardId: string, isOwn: (playerId: string) => boolean): Promise<RankedRow[]> {
    const rows: RankedRow[] = [];
    for (let from: number | null = 1; from !== null; ) {
      const path = `/v1/boards/${encodeURIComponent(boardId)}/entries?${query}&limit=${PAGE}&from=${from}`;
      const page = (await this.read(path)) as EntriesAnswer;
      for (const { rank, playerId, score } of page.entries) {
        if (!isOwn(playerId)) rows.push({ rank, playerId, points: score });
      }
      if (rows.length > MAX_ROWS) {
        throw new VerifyError(`board ${boardId} ranks more than ${MAX_ROWS} others: take a smaller one by --board`);
      }
      from = page.next;
    }
    return rows;
  }

  private async read(path: string): Promise<unknown> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const response = await fetch(`${this.url}${path}`, { signal }).catch((error: unknown) => {
      if (this.signal.aborted) throw error;
      throw new VerifyError(`${this.url} does not answer: ${describe(error)}`, { cause: error });
    });
    if (response.ok) return await response.json();
    const said = (await response.text()).slice(0, 300);
    throw new VerifyError(`GET ${path} was answered ${response.status}: ${said}`);
  }
}
