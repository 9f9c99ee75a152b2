import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Ports of the loopback interface that nobody listens on, all different.
 *
 * For servers that cannot be told to choose one themselves; held open together, so that none is given twice.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(closed));
  return ports;
}

async function closed(server: Server): Promise<void> {
  const close = once(server, 'close');
  server.close();
  await close;
}
