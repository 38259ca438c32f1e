/**
 * The limit of any gateway: uWebSockets.js and a loop of `send` over prepared bytes, nothing else. A process of its own, told
 * what to do by messages: `watchers` by subject, then how many updates a second to send for how long.
 */

import { loadUws } from '../../../src/gateway/uws.js';

export interface BareOrder {
  readonly rate: number;
  /** Milliseconds between two looks at what is due, as the generator's. */
  readonly tick: number;
  readonly seconds: number;
  /** A frame as base64. */
  readonly frame: string;
  /** Sockets to be told of each subject, by the number that the socket named in its path. */
  readonly watchers: readonly (readonly number[])[];
}

export type BareReport =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done'; readonly sends: number };

interface Bare {
  send(frame: Uint8Array, isBinary: boolean): number;
}

const sockets: (Bare | undefined)[] = [];
const { uws } = loadUws();
const app = uws.App();
app.ws<{ number: number }>('/*', {
  compression: 0,
  maxBackpressure: 1_048_576,
  upgrade: (res, req, context) => {
    const number = Number(req.getUrl().slice(1));
    const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
      req.getHeader(`sec-websocket-${name}`),
    );
    res.upgrade({ number }, key ?? '', protocol ?? '', extensions ?? '', context);
  },
  open: (ws) => {
    sockets[ws.getUserData().number] = ws;
  },
  close: (ws) => {
    sockets[ws.getUserData().number] = undefined;
  },
});
app.listen('127.0.0.1', 0, (listening) => {
  if (listening === false) throw new Error('no port to listen on');
  tell({ kind: 'listening', port: uws.us_socket_local_port(listening) });
});
process.on('message', (order: BareOrder) => run(order));
process.on('disconnect', () => process.exit(0));

function run({ rate, tick, seconds, frame: text, watchers }: BareOrder): void {
  const frame = new Uint8Array(Buffer.from(text, 'base64'));
  const startAt = performance.now();
  let updates = 0;
  let sends = 0;
  const timer = setInterval(() => {
    const elapsed = performance.now() - startAt;
    const due = Math.floor((Math.min(elapsed, seconds * 1_000) * rate) / 1_000);
    for (; updates < due; updates += 1) {
      for (const number of watchers[updates % watchers.length] ?? []) {
        sockets[number]?.send(frame, true);
        sends += 1;
      }
    }
    if (elapsed < seconds * 1_000) return;
    clearInterval(timer);
    tell({ kind: 'done', sends });
  }, tick);
}

function tell(report: BareReport): void {
  process.send?.(report);
}
