import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a port of loopback that can be cut. */
interface Proxy {
  readonly port: number;
  /** Resets every connection that is open. */
  cut(): void;
  close(): Promise<void>;
}

/** Passes bytes on, both ways, untouched: TLS goes through. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      open.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}
