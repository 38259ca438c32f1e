/** One address whose server a test can exchange: what a client sees of a failover behind a fixed name. */
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Cuts the existing connections; new ones lead to that server. */
  setTarget(host: string, port: number): void;
  /** Cuts the existing connections; the target stays. */
  cut(): void;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1; until the first `setTarget`, connections are closed at once. */
export async function startTcpProxy(): Promise<TcpProxy> {
  let target: { host: string; port: number } | null = null;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('error', () => undefined)
      .once('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
    keep(incoming);
    if (target === null) {
      incoming.destroy();
      return;
    }
    const outgoing = keep(connect(target));
    incoming.pipe(outgoing).pipe(incoming);
    // One side lost is both lost: half-open connections would hide a failover.
    incoming.once('close', () => outgoing.destroy());
    outgoing.once('close', () => incoming.destroy());
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    setTarget(host, port) {
      target = { host, port };
      cut();
    },
    cut,
    async close() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
