/** A list of rows that keeps one element per player, moves them smoothly and lights up a new score. */

import { newElement, setText } from './dom.js';
import { formatCount, formatScore } from './format.js';
import type { Movement, PlacedPlayer } from './movement.js';

const MOVE_MS = 350;
const FLASH_MS = 700;
/** At most one flash per row in this time. */
const FLASH_PAUSE_MS = 1_000;
/** Above this many, nobody can follow where they go. */
const MAX_MOVING_ROWS = 30;

export interface ListedPlayer extends PlacedPlayer {
  readonly name: string | null;
  readonly score: number | null;
}

interface Row {
  readonly element: HTMLElement;
  readonly rank: HTMLElement;
  readonly move: HTMLElement;
  readonly name: HTMLElement;
  readonly score: HTMLElement;
  index: number;
  shownScore: number | null;
  flashedAt: number;
}

export interface RowListOptions {
  readonly movementOf: (player: ListedPlayer) => Movement;
  /** The row to mark as the reader's own. */
  readonly isOwn: (player: ListedPlayer) => boolean;
}

export class RowList {
  private readonly list: HTMLElement;
  private readonly options: RowListOptions;
  private readonly rows = new Map<string, Row>();
  private readonly stillness = matchMedia('(prefers-reduced-motion: reduce)');

  constructor(list: HTMLElement, options: RowListOptions) {
    this.list = list;
    this.options = options;
  }

  /** Shows the players in their order. Nothing moves on the first paint, while hidden, or where `isCalm`. */
  show(players: readonly ListedPlayer[], isCalm: boolean): void {
    const isFirst = this.rows.size === 0;
    const mayMove = !isFirst && !isCalm && !document.hidden;
    const places = mayMove && !this.stillness.matches ? this.placesToLeave(players) : null;
    const fresh = this.arrange(players);
    if (places !== null) this.glide(places);
    if (!mayMove) return;
    for (const row of fresh) row.element.animate({ opacity: [0, 1] }, { duration: MOVE_MS, easing: 'ease-out' });
  }

  /** Where the rows are that will move, mid-air positions included; `null` where it would be too many, or none. */
  private placesToLeave(players: readonly ListedPlayer[]): Map<Row, DOMRect> | null {
    const moving = players.flatMap((player, index) => {
      const row = this.rows.get(player.playerId);
      return row === undefined || row.index === index ? [] : [row];
    });
    if (moving.length === 0 || moving.length > MAX_MOVING_ROWS) return null;
    return new Map(moving.map((row) => [row, row.element.getBoundingClientRect()]));
  }

  /** Puts elements and texts in place; answers the rows that were not there before. */
  private arrange(players: readonly ListedPlayer[]): Row[] {
    const fresh: Row[] = [];
    const isFirst = this.rows.size === 0;
    const listed = new Set(players.map((player) => player.playerId));
    for (const [playerId, row] of this.rows) {
      if (listed.has(playerId)) continue;
      row.element.remove();
      this.rows.delete(playerId);
    }
    players.forEach((player, index) => {
      let row = this.rows.get(player.playerId);
      if (row === undefined) {
        row = newRow(index);
        this.rows.set(player.playerId, row);
        if (!isFirst) fresh.push(row);
      }
      row.index = index;
      this.fill(row, player);
      const there = this.list.children[index];
      if (there !== row.element) this.list.insertBefore(row.element, there ?? null);
    });
    return fresh;
  }

  private fill(row: Row, player: ListedPlayer): void {
    setText(row.rank, player.rank === null ? '\u2013' : formatCount(player.rank));
    setText(row.name, player.name ?? player.playerId);
    setText(row.score, player.score === null ? '' : formatScore(player.score));
    row.element.dataset['rank'] = String(player.rank ?? '');
    row.element.classList.toggle('own', this.options.isOwn(player));
    showMovement(row.move, this.options.movementOf(player));
    if (player.score !== row.shownScore && row.shownScore !== null) flash(row);
    row.shownScore = player.score;
  }

  /** From where each row was to where it is now. Animations still under way are replaced, which is why mid-air counts. */
  private glide(places: ReadonlyMap<Row, DOMRect>): void {
    const glides = [...places].map(([row, from]) => {
      for (const animation of row.element.getAnimations()) animation.cancel();
      const to = row.element.getBoundingClientRect();
      return { row, dx: from.left - to.left, dy: from.top - to.top };
    });
    for (const { row, dx, dy } of glides) {
      if (dx === 0 && dy === 0) continue;
      const transform = [`translate(${dx}px, ${dy}px)`, 'none'];
      // Who climbs passes in front of those who are pushed down: dx counts before dy, a column being worth more than a row.
      const zIndex = dx > 0 || (dx === 0 && dy > 0) ? 2 : 1;
      row.element.animate(
        { transform, zIndex: [zIndex, zIndex] },
        { duration: MOVE_MS, easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' },
      );
    }
  }
}

function newRow(index: number): Row {
  const element = newElement('li', 'row');
  const rank = newElement('span', 'rank');
  const move = newElement('span', 'move');
  const name = newElement('bdi', 'name');
  const score = newElement('span', 'score');
  element.append(rank, move, name, score);
  return { element, rank, move, name, score, index, shownScore: null, flashedAt: 0 };
}

/** The arrow is drawn by the style sheet from `data-way`: shape, number and colour all say the same. */
function showMovement(element: HTMLElement, movement: Movement): void {
  const way = movement === 'new' ? 'new' : movement > 0 ? 'up' : movement < 0 ? 'down' : 'none';
  setText(element, way === 'new' ? 'new' : way === 'none' ? '' : formatCount(Math.abs(Number(movement))));
  if (element.dataset['way'] === way) return;
  element.dataset['way'] = way;
  if (way === 'up' || way === 'down') element.setAttribute('aria-description', way);
  else element.removeAttribute('aria-description');
}

function flash(row: Row): void {
  const now = performance.now();
  if (document.hidden || now - row.flashedAt < FLASH_PAUSE_MS) return;
  row.flashedAt = now;
  row.element.animate({ opacity: [0.5, 0] }, { duration: FLASH_MS, easing: 'ease-out', pseudoElement: '::after' });
}
