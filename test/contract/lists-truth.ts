/** What truth knows of random logs of results in several lists and of orders, as far as any positions. */

import type { TagList } from '../../src/domain/lists.js';
import type { Position } from '../../src/domain/log-record.js';
import type { TagDefinition } from '../../src/domain/tag-definition.js';
import type { FillEntry, FoldedEntry, PlayerOrder } from '../../src/ranking/ranking.js';
import { entryOf, type RawEntry } from './brute-force.js';
import { DAY, GUILD, pack, present, SEASON } from './ranking-fixture.js';
import { LOGS } from './ranking-model.js';

export const PLAYERS: readonly string[] = ['a', 'ab', 'Ａ', '😀', '{}', 'x:y'];
const NEXT_DAY: TagList = { ...DAY, name: 'd:2026-10-13' };
const DAY_GUILD: TagList = { ...DAY, name: `${DAY.name}:guild:77` };

/** What an order to hide names. */
export const UNSCOPED: readonly TagList[] = [SEASON, DAY, NEXT_DAY];
export const ALL_LISTS: readonly TagList[] = [...UNSCOPED, GUILD, DAY_GUILD];
/** Where a result may count. */
export const LIST_CHOICES: readonly (readonly TagList[])[] = [
  [SEASON, DAY],
  [SEASON, NEXT_DAY],
  [SEASON, DAY, GUILD, DAY_GUILD],
  [SEASON, NEXT_DAY, GUILD],
];

export interface ListedRaw extends RawEntry {
  readonly kind: 'result';
  readonly playerId: string;
  readonly lists: readonly TagList[];
  /** Where the rule counts each result once. */
  readonly isLate: boolean;
}

export interface RawOrder {
  readonly kind: 'order';
  readonly playerId: string;
  readonly order: PlayerOrder['order'];
}

export type ListRecord = ListedRaw | RawOrder;

/** One offset per log, in the order of `LOGS`: the first that was not considered. */
export type Nexts = readonly number[];

export class ListsTruth {
  /** Everything of a player is in one log, as it is by the key of a record. */
  readonly logs: readonly (readonly ListRecord[])[];

  constructor(
    private readonly definition: TagDefinition,
    records: readonly ListRecord[],
  ) {
    this.logs = LOGS.map((_, index) => records.filter(({ playerId }) => logOf(playerId) === index));
  }

  /** His entry in each list where he has results, hidden or not. */
  fold(playerId: string, nexts: Nexts): FoldedEntry[] {
    const results = this.below(playerId, nexts).filter((record) => record.kind === 'result');
    return ALL_LISTS.flatMap((list) => {
      const there = results.filter(({ lists }) => lists.includes(list));
      return there.length === 0 ? [] : [{ list, score: this.pack(entryOf(there, this.definition.merge)) }];
    });
  }

  isHidden(playerId: string, nexts: Nexts): boolean {
    const orders = this.below(playerId, nexts).flatMap((record) => (record.kind === 'order' ? [record.order] : []));
    return orders.findLast((order) => order === 'hide' || order === 'unhide') === 'hide';
  }

  hidden(nexts: Nexts): readonly string[] {
    return PLAYERS.filter((playerId) => this.isHidden(playerId, nexts));
  }

  entries(nexts: Nexts): readonly FillEntry[] {
    return PLAYERS.flatMap((playerId) =>
      this.fold(playerId, nexts).map(({ list, score }) => ({ list, playerId, score: present(score) })),
    );
  }

  /** His packed score in a list as it must be shown; `null`: no row. */
  scoreIn({ name }: TagList, playerId: string, nexts: Nexts): number | null {
    if (this.isHidden(playerId, nexts)) return null;
    return this.fold(playerId, nexts).find(({ list }) => list.name === name)?.score ?? null;
  }

  pack({ points, second }: RawEntry): number {
    return pack(points, second, this.definition.merge);
  }

  private below(playerId: string, nexts: Nexts): readonly ListRecord[] {
    const log = logOf(playerId);
    return present(this.logs[log])
      .slice(0, nexts[log])
      .filter((record) => record.playerId === playerId);
  }
}

export function positionsAt(nexts: Nexts): readonly Position[] {
  return LOGS.flatMap((log, index) => ((nexts[index] ?? 0) > 0 ? [{ ...log, next: nexts[index] ?? 0 }] : []));
}

function logOf(playerId: string): number {
  return PLAYERS.indexOf(playerId) % LOGS.length;
}
