import { describe, expect, it } from 'vitest';
import { StartRefusedError } from '../../src/domain/errors.js';
import { chooseUws, loadUws, type UwsCandidate } from '../../src/gateway/uws.js';

const RUNTIME = { nodeVersion: 'v22.1.0', glibcVersion: '2.31' };
/** A bound function shows `[native code]`, as functions of a binary do. */
const native = { App: (() => ({})).bind(null), us_listen_socket_close: () => {} };
const javascript = { App: () => ({}) };

function candidate(packageName: string, load: () => unknown): UwsCandidate {
  return { packageName, load };
}

function fails(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

function refusal(
  candidates: readonly UwsCandidate[],
  runtime: Parameters<typeof chooseUws>[1] = RUNTIME,
): StartRefusedError {
  try {
    chooseUws(candidates, runtime);
  } catch (error) {
    if (error instanceof StartRefusedError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('chooseUws', () => {
  it('takes the first that loads and is native, and tries none behind it', () => {
    const tried: string[] = [];
    const noted = (packageName: string, load: () => unknown) =>
      candidate(packageName, () => {
        tried.push(packageName);
        return load();
      });
    const chosen = chooseUws(
      [noted('official', fails('Cannot find module')), noted('current', () => native), noted('older', () => native)],
      RUNTIME,
    );
    expect(chosen).toEqual({ packageName: 'current', uws: native });
    expect(tried).toEqual(['official', 'current']);
  });

  it('passes over a JavaScript fallback', () => {
    const chosen = chooseUws([candidate('fallback', () => javascript), candidate('older', () => native)], RUNTIME);
    expect(chosen.packageName).toBe('older');
  });

  it('refuses the start rather than run a JavaScript fallback', () => {
    const loaded = [javascript, {}, null, undefined, 'module', { App: 'native code' }, { default: native }];
    const error = refusal(loaded.map((value, index) => candidate(`c${index}`, () => value)));
    for (const index of loaded.keys()) expect(error.message).toContain(`c${index} is not native here`);
  });

  it('says in one sentence which Node and glibc there are, what was tried, and what to do', () => {
    const error = refusal([
      candidate('official', fails('Cannot find module official\nRequire stack:\n- /srv/app/uws.js')),
      candidate('current', fails("/lib/libc.so.6: version `GLIBC_2.38' not found (required by /x.node)")),
    ]);
    expect(error.isRetryable).toBe(false);
    for (const part of ['v22.1.0', 'glibc 2.31', 'Node 20', '2.27', 'README', 'official', 'GLIBC_2.38']) {
      expect(error.message).toContain(part);
    }
    expect(error.message.split('\n')).toHaveLength(1);
  });

  it('names a machine without glibc for what it is', () => {
    expect(refusal([], { nodeVersion: 'v20.20.0', glibcVersion: undefined }).message).toContain('no glibc');
  });

  it('survives candidates that throw what is no error', () => {
    const odd = candidate('odd', () => {
      throw 'text';
    });
    expect(refusal([odd]).message).toContain('odd: text');
  });
});

describe('loadUws', () => {
  it('finds a native build on this machine', () => {
    const { packageName, uws } = loadUws();
    expect(packageName).toMatch(/uwebsockets|uws/i);
    expect(Function.prototype.toString.call(uws.App)).toContain('[native code]');
  });
});
