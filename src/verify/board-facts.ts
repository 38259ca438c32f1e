/** What a run must know of the board it plays on. */

export interface BoardFacts {
  readonly boardId: string;
  readonly mode: string;
  readonly rule: 'best' | 'latest' | 'sum';
  readonly order: 'high' | 'low';
  /** What its one key is called. */
  readonly field: string;
  readonly topSize: number;
  readonly periods: readonly string[];
  readonly zone: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly season: { readonly startsAt: number; readonly endsAt: number };
}
