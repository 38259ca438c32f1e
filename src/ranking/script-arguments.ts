/** What crosses to the scripts that take a batch, truth's entries or a fill: flat, and short where it comes once per result. */

import type { TagDefinition } from '../domain/tag-definition.js';
import type { FillEntry, FillStart, FoldedEntry, PlayerToMark, SubmitBatch, TagList } from './ranking.js';

type Flat = readonly (string | number | false)[];

/** `[first time, lists, combinations, width, results]`, as submit-results takes it: five values a result, seven where it has an identity. */
export function resultsArgument({ from, results }: SubmitBatch): readonly unknown[] {
  const firstAt = results[0]?.at ?? 0;
  const isIdentified = results.some((result) => 'identity' in result && result.identity !== undefined);
  const table = new ListTable();
  const flat: (string | number)[] = [];
  // Offsets and times as distances are short; scores are exact as doubles, and become text where they are written.
  for (const result of results) {
    const { playerId, offset, at, lists } = result;
    const isOrder = 'order' in result;
    flat.push(playerId, isOrder ? result.order : result.score, offset - from, at - firstAt, table.indexOf(lists));
    if (!isIdentified) continue;
    // Where a score lacks it the script refuses the batch: no hash is empty.
    const identity = isOrder ? undefined : result.identity;
    flat.push(identity?.hash ?? '', (identity?.achievedAt ?? firstAt) - firstAt);
  }
  return [firstAt, table.lists, table.combinations, isIdentified ? 7 : 5, flat];
}

/** `[positions, merge, hidden]`, as begin-fill takes it. */
export function fillArgument(
  { merge }: TagDefinition,
  { positions, hidden }: FillStart,
): readonly (readonly unknown[])[] {
  return [
    positions.flatMap((p) => [p.source, String(p.partition), p.next]),
    [merge.rule, merge.timeSpan, merge.maxTotal, merge.isLow],
    hidden,
  ];
}

/** `[list, kept until, entries, ...]`, as load-fill takes it. */
export function chunkArgument(entries: readonly FillEntry[]): readonly unknown[] {
  const byList = new Map<string, { readonly list: TagList; readonly flat: string[] }>();
  for (const { list, playerId, score } of entries) {
    const ofList = byList.get(list.name) ?? { list, flat: [] };
    if (ofList.flat.push(String(score), playerId) === 2) byList.set(list.name, ofList);
  }
  return [...byList.values()].flatMap(({ list, flat }) => [list.name, keptUntil(list), flat]);
}

/** `[list, kept until, score, ...]`, as settle-mark takes it. */
export function foldedArgument(folded: readonly FoldedEntry[]): Flat {
  return folded.flatMap(({ list, score }) => [list.name, keptUntil(list), score ?? false]);
}

/** `[player, names of lists, ...]`, as mark-players takes it. */
export function playersArgument(players: readonly PlayerToMark[]): readonly unknown[] {
  return players.flatMap(({ playerId, lists }) => [playerId, lists.map(({ name }) => name)]);
}

/** The lists that a batch names, each once, and which of them each result names. */
class ListTable {
  /** Flat: name, kept until, ... */
  readonly lists: (string | number)[] = [];
  /** 1-based indexes of lists. */
  readonly combinations: number[][] = [];
  /** Results of a day share one array, so most are found without a look at what is in it. */
  private readonly byArray = new Map<readonly TagList[], number>();
  private readonly byNames = new Map<string, number>();
  private readonly byName = new Map<string, number>();

  /** 1-based index of a combination. */
  indexOf(lists: readonly TagList[]): number {
    const known = this.byArray.get(lists);
    if (known !== undefined) return known;
    // No name has a control character.
    const names = lists.map(({ name }) => name).join('\n');
    const index = this.byNames.get(names) ?? this.combinations.push(lists.map((list) => this.indexOfList(list)));
    this.byNames.set(names, index);
    this.byArray.set(lists, index);
    return index;
  }

  private indexOfList(list: TagList): number {
    const known = this.byName.get(list.name);
    if (known !== undefined) return known;
    const index = this.lists.push(list.name, keptUntil(list)) / 2;
    this.byName.set(list.name, index);
    return index;
  }
}

/** The scripts take 0 for ever. */
function keptUntil({ keptUntil }: TagList): number {
  return keptUntil ?? 0;
}
