/** A TCP connection whose other end is still there, but says nothing any more: what a sleeping laptop leaves behind. */

import { connect, createServer, type Socket } from 'node:net';

export class BlackHole {
  private readonly sockets = new Set<Socket>();
  private constructor(
    readonly port: number,
    private readonly stop: () => void,
  ) {}

  /** Forwards connections to `target`, a port of the loopback, until `swallow`. */
  static async start(target: number): Promise<BlackHole> {
    const server = createServer((incoming) => {
      const outgoing = connect(target, '127.0.0.1');
      hole.sockets.add(incoming.on('error', () => {})).add(outgoing.on('error', () => {}));
      incoming.pipe(outgoing).pipe(incoming);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const hole = new BlackHole(typeof address === 'object' && address !== null ? address.port : 0, () =>
      server.close(),
    );
    return hole;
  }

  /** From now on nothing passes, in either direction, and no end is told: reads stop, so not even a FIN is noticed. */
  swallow(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  close(): void {
    this.stop();
    for (const socket of this.sockets) socket.destroy();
  }
}
