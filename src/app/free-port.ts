/** Makes sure that nobody has a port before workers share it: a second server would be let in among them. */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartRefusedError } from '../domain/errors.js';

/** Answers the port, a free one for 0. Throws `StartRefusedError` where something listens there. */
export async function requireFreePort({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  } catch {
    throw new StartRefusedError(
      `port ${port} on ${host} cannot be listened on: something else uses it, or it is not ours`,
    );
  } finally {
    server.close();
  }
}
