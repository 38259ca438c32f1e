import { expect, it } from 'vitest';
import { CheckpointJob, type CheckpointStore } from '../../src/app/checkpoint-job.js';
import { boardSeasonOf } from '../support/definitions.js';
import { silent } from '../truth/truth-database.js';

const SCOPES = ['arena', 'duel', 'race'].map((boardId) => boardSeasonOf({ boardId }));
const HOUR_MS = 3_600_000;

class Store implements CheckpointStore {
  readonly ageOf = new Map<string, number>();
  readonly advanced: string[] = [];
  readonly told = new Map<string, number>();
  readonly failing = new Set<string>();
  readonly taken = new Set<string>();
  drops = 0;
  released = 0;

  async ages(): Promise<ReadonlyMap<string, number>> {
    return this.ageOf;
  }

  async lock(tagName: string): ReturnType<CheckpointStore['lock']> {
    if (this.taken.has(tagName)) return null;
    return {
      advance: async ({ name }) => {
        if (this.failing.has(name)) throw new Error('the database is away');
        this.advanced.push(name);
        this.ageOf.set(name, 0);
      },
      release: async () => {
        this.released += 1;
      },
    };
  }

  async dropSeenDirt(): Promise<void> {
    this.drops += 1;
  }

  job(): CheckpointJob {
    const setAge = (boardId: string, seconds: number) => void this.told.set(boardId, seconds);
    return new CheckpointJob({ store: this, scopes: () => SCOPES, everyMs: HOUR_MS, setAge, logger: silent });
  }
}

it('advances checkpoints that are missing or old, one after another, and tells their ages', async () => {
  const store = new Store();
  store.ageOf.set('arena:s1', HOUR_MS).set('duel:s1', HOUR_MS - 1_000);
  await store.job().runOnce();
  expect(store.advanced).toEqual(['arena:s1', 'race:s1']);
  expect(Object.fromEntries(store.told)).toEqual({ arena: 0, duel: 3_599, race: 0 });
  expect([store.drops, store.released]).toEqual([1, 2]);
});

it('leaves a board alone that another process has, and one that failed until its time comes again', async () => {
  const store = new Store();
  store.taken.add('arena:s1');
  store.failing.add('duel:s1');
  const job = store.job();
  await job.runOnce();
  expect(store.advanced).toEqual(['race:s1']);
  store.taken.clear();
  store.failing.clear();
  await job.runOnce();
  expect(store.advanced).toEqual(['race:s1', 'arena:s1']);
});

it('advances nothing more once it is closed', async () => {
  const store = new Store();
  const job = store.job();
  await job.close();
  await job.runOnce();
  expect(store.advanced).toEqual([]);
});
