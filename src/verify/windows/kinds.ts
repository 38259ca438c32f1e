/** All kinds of windows that clients watch; each client opens one of each. */

import { around } from './around.js';
import { friends } from './friends.js';
import { me } from './me.js';
import { players } from './players.js';
import { top } from './top.js';
import type { WindowKind } from './window-kind.js';

export const WINDOW_KINDS: readonly WindowKind[] = [top, me, friends, players, around];
