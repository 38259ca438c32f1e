/** The port: HTTP routes and sockets on uWebSockets.js, translated to what http/ and the sessions speak. */

import { StartRefusedError } from '../domain/errors.js';
import type { TemplatedApp, UwsModule, us_listen_socket } from './uws.js';
import { type HttpEndpoint, serveHttp } from './uws-http.js';
import { type SocketEndpoint, serveSockets } from './uws-sockets.js';

export interface UwsServerOptions {
  readonly uws: UwsModule;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /**
   * Workers of one server listen beside each other, and the system spreads connections over them; all of them must say so,
   * and name the port, as free ones are never shared. Default false: nobody else may listen on it.
   */
  readonly isPortShared?: boolean;
  readonly http: HttpEndpoint;
  /** `null` where the port has no sockets. */
  readonly sockets: SocketEndpoint | null;
}

/** SO_REUSEPORT. */
const LISTEN_SHARED_PORT = 0;
/** No second process may listen beside us by accident: results would reach one, sockets the other. */
const LISTEN_EXCLUSIVE_PORT = 1;

type Listen = (
  host: string,
  port: number,
  options: number,
  callback: (socket: us_listen_socket | false) => void,
) => TemplatedApp;

export class UwsServer {
  private constructor(
    private readonly uws: UwsModule,
    private listenSocket: us_listen_socket | null,
    readonly port: number,
  ) {}

  /** Listens; throws StartRefusedError where the port is taken. */
  static async listen(options: UwsServerOptions): Promise<UwsServer> {
    const { uws, host, port, isPortShared = false, http, sockets } = options;
    const app = uws.App();
    if (sockets !== null) serveSockets(app, sockets);
    serveHttp(app, http);
    const listenSocket = await new Promise<us_listen_socket | false>((resolve) => {
      // The typings lack this overload; the native function has had it since 18.
      const listen = app.listen.bind(app) as unknown as Listen;
      listen(host, port, isPortShared ? LISTEN_SHARED_PORT : LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (listenSocket === false) {
      throw new StartRefusedError(
        `port ${port} on ${host} cannot be listened on: something else uses it, or it is not ours`,
      );
    }
    return new UwsServer(uws, listenSocket, uws.us_socket_local_port(listenSocket));
  }

  /** Takes no new connections, once; open ones go on. */
  stopListening(): void {
    // The native socket is gone after the first time.
    if (this.listenSocket !== null) this.uws.us_listen_socket_close(this.listenSocket);
    this.listenSocket = null;
  }
}
