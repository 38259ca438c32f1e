import { expect, it } from 'vitest';
import { CatchUp } from '../../loadtest/bench/stalled/catch-up.js';

const [FRIENDS, TOP] = [1, 2];

function frame(topic: number, at: number, isWhole = true) {
  return { topic, at, isWhole };
}

it('what was on its way when the socket became full is not of the catch-up', () => {
  const catchUp = new CatchUp([FRIENDS, TOP], 1_000);
  catchUp.message(500, [frame(FRIENDS, 900)]);
  catchUp.message(60, []);
  catchUp.message(300, [frame(FRIENDS, 1_001), frame(TOP, 1_002)]);
  expect(catchUp).toMatchObject({ isDone: true, oldBytes: 560, bytes: 300, messages: 1 });
});

it('it lasts until each window is current, every part of a snapshot included', () => {
  const catchUp = new CatchUp([FRIENDS, TOP], 1_000);
  catchUp.message(100, [frame(FRIENDS, 1_001, false)]);
  catchUp.message(80, [frame(FRIENDS, 1_001)]);
  expect(catchUp.isDone).toBe(false);
  catchUp.message(20, [frame(TOP, 1_000)]);
  expect(catchUp).toMatchObject({ isDone: true, oldBytes: 0, bytes: 200, messages: 3 });
});

it('what comes after it is not counted', () => {
  const catchUp = new CatchUp([FRIENDS], 1_000);
  catchUp.message(100, [frame(FRIENDS, 1_001)]);
  catchUp.message(40, [frame(FRIENDS, 1_010)]);
  expect(catchUp).toMatchObject({ bytes: 100, messages: 1 });
});

it('an old state that comes late does not make a window current', () => {
  const catchUp = new CatchUp([FRIENDS, TOP], 1_000);
  catchUp.message(100, [frame(FRIENDS, 1_001), frame(TOP, 900)]);
  expect(catchUp.isDone).toBe(false);
});
