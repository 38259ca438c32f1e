/** A key to be made, with what a test is about filled in. */

import type { KeyDraft } from '../../src/domain/access-key.js';

export function draft(options: Partial<KeyDraft> = {}): KeyDraft {
  return { title: 'overlay', boards: ['arena'], windows: ['top'], playerId: null, expiresInMs: null, ...options };
}
