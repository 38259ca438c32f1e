/** What a delta of the top weighs beside the snapshot that it spares. */

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { score } from './support/gateway-rig.js';
import { HandBoard } from './support/hand-board.js';
import { Viewer } from './support/viewer.js';

const ROWS = 100;
const CHANGED = 5;

let board: HandBoard;
let ids: string[];
let viewer: Viewer;
beforeEach(async () => {
  ids = Array.from({ length: ROWS }, () => randomUUID());
  board = await new HandBoard(Object.fromEntries(ids.map((id, index) => [id, 1_000 + index * 10])), ROWS).start();
  viewer = new Viewer(board, ROWS);
});
afterEach(() => board.hub.view.close());

const bytesOf = (frames: readonly Uint8Array[]): number => frames.reduce((sum, frame) => sum + frame.byteLength, 0);

function collectBytes(): number {
  const frames: Uint8Array[] = [];
  viewer.window.collect(frames);
  return bytesOf(frames);
}

it('is at most a tenth of the snapshot where 5 of 100 rows changed', () => {
  const snapshot = collectBytes();
  board.ranking.apply(...ids.slice(0, CHANGED).map((id, index) => [id, score(1_203 + index * 100)] as const));
  board.schedule.flushAll();
  const delta = collectBytes();
  expect(delta).toBeGreaterThan(0);
  expect(delta).toBeLessThanOrEqual(snapshot / 10);
});

it('is a tenth as well where they are five who come in and five who leave', () => {
  const snapshot = collectBytes();
  const newcomers = Array.from({ length: CHANGED }, (_, index) => [randomUUID(), score(1_505 + index)] as const);
  board.ranking.apply(...newcomers);
  board.schedule.flushAll();
  const delta = collectBytes();
  expect(delta).toBeGreaterThan(0);
  expect(delta).toBeLessThanOrEqual(snapshot / 10);
});
