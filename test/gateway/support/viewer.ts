/** Windows of sessions on a hub whose flushes a test starts by hand. */

import { expect, vi } from 'vitest';
import { FrameType, MAX_SERVER_FRAME_BYTES } from '../../../proto/frames.js';
import { PlacedWindow } from '../../../src/client/placed-window.js';
import { readFrames } from '../../../src/client/read-frame.js';
import { unpackPoints } from '../../../src/domain/packed-score.js';
import type { TopTopic } from '../../../src/gateway/top-topic.js';
import { TopWindow } from '../../../src/gateway/top-window.js';
import { LAYOUT } from './gateway-rig.js';
import type { HandBoard } from './hand-board.js';

function topTopic(board: HandBoard, limit: number): TopTopic {
  const topic = board.hub.topTopic(limit);
  if (topic === undefined) throw new Error(`no window of ${limit} rows`);
  return topic;
}

/** A session's window and what its client makes of it. */
export class Viewer {
  readonly fold = new PlacedWindow();
  readonly window: TopWindow;
  pendingCount = 0;
  /** Broker times told with what is pending. */
  readonly times: (number | null)[] = [];

  constructor(
    readonly board: HandBoard,
    readonly limit = board.topSize,
  ) {
    this.window = new TopWindow(board.hub, topTopic(board, limit), {
      ended: () => {},
      pending: (_window, at) => {
        this.pendingCount += 1;
        this.times.push(at);
      },
    });
  }

  collect(): Uint8Array[] {
    const frames: Uint8Array[] = [];
    this.window.collect(frames);
    for (const bytes of frames) {
      expect(bytes.byteLength).toBeLessThanOrEqual(MAX_SERVER_FRAME_BYTES);
      for (const frame of readFrames(bytes)) {
        if (frame[0] !== FrameType.snapshot && frame[0] !== FrameType.delta) throw new Error(`a frame ${frame[0]}`);
        expect(frame[1]).toBe(this.window.topic);
        expect(this.fold.apply(frame, null)).not.toMatch(/gap|dropped/);
      }
    }
    return frames;
  }

  expectExact(): void {
    const { hub, ranking } = this.board;
    const rows = ranking.board.rows();
    const state = this.fold.read(false);
    expect(state.entries.map((row) => [row.rank, row.playerId, row.score])).toEqual(
      rows.slice(0, this.limit).map((row) => [row.rank, row.playerId, unpackPoints(LAYOUT, row.score)]),
    );
    expect([state.epoch, state.total]).toEqual([hub.wireEpoch, rows.length]);
    expect(state.seq).toBeLessThanOrEqual(hub.view.seq);
  }
}

/** The view tells of the total at its own pace; timers are held. */
export async function settle(board: HandBoard): Promise<void> {
  await vi.advanceTimersByTimeAsync(750);
  board.schedule.flushAll();
}
