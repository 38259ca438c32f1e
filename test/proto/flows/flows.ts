/** Source of flows.json: all flows, and the rules for whoever writes a runner. */

import { closeAndRefusalFlows } from './close-flows.js';
import { connectFlows } from './connect-flows.js';
import { goawayFlows } from './goaway-flows.js';
import { resumeFlows } from './resume-flows.js';
import type { Flow } from './steps.js';
import { syncFlows } from './sync-flows.js';
import { tokenFlows } from './token-flows.js';
import { windowFlows } from './window-flows.js';

export const flowRules: readonly string[] = [
  'A flow is a script for one new client against a scripted server. The runner plays the server, the application and the clock; no real socket and no real time is needed.',
  'Frames are decoded arrays: encode and decode them in either subprotocol, whichever the client speaks. They hold for both.',
  'needs: what the client may do without (batch and sync are bits of caps; refresh and goaway are SHOULD). Leave a flow out only if the client does without it, and say so.',
  'token: what the application answers when the client asks for a token; a step {"token": t} changes it. Nil: anonymous.',
  'Sockets are numbered from 1 in the order in which the client opens them. "on" names the socket of a step; without it, the newest one that was opened.',
  '{"watch": w, "kind", "boardId", "args"}: the application begins to watch a window, called w here. The first watch of a flow makes the client connect. {"leave": w}: it stops.',
  '{"open": n, "withinMs": t, "url"?}: the client opens socket n within t ms of fake time, to url where that is given; the handshake succeeds.',
  '{"expect": pattern, "withinMs"?: t}: the oldest frame of the client that no step has taken yet, on that socket, matches; it is there already, or comes within t ms. {"expectEach": patterns}: as many frames match them, in any order.',
  '{"send": frame}: the server sends it. {"close": code}: the server closes the socket with this code; 1006: the connection is cut without a close frame.',
  '{"quiet": t}: t ms pass, and the client opens no socket and sends nothing but PING.',
  '{"shows": w, "rows": rows}: what the window w shows now, in its order, each [playerId, score, rank]; me is one row whose playerId is nil. Nil rows: nothing was shown yet. What a client marks as stale is its own affair.',
  'Patterns: an array matches an array element by element, missing elements taken as nil on either side; numbers match as numbers. {"any": true} matches anything; {"as": x} too, and remembers it as x; {"is": x} stands for what was remembered, in patterns and in frames to send.',
  'When a step begins that is none of expect, expectEach, open, shows and token, nothing may be left that the client sent and no step took, nor a socket that no step opened; nor at the end. PING does not count (the first watch may be ahead of its open). A PING needs no answer. A socket that the client closes itself (with whatever code) takes no more frames: what the script sends there is lost, and so is its close.',
  'Time passes only in quiet and where withinMs gives it, and only as long as needed there. So no timer runs in any other step, one of 0 ms neither: a wait that chance makes 0 ends in the next step that lets time pass, before that step is judged.',
  'The client’s random numbers may be what they are; all times leave room for them. What it does without waiting it has done when the step that caused it ends.',
];

export const flows: readonly Flow[] = [
  ...connectFlows,
  ...windowFlows,
  ...syncFlows,
  ...resumeFlows,
  ...tokenFlows,
  ...goawayFlows,
  ...closeAndRefusalFlows,
];
