import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

/** What a server on loopback answers, its body unzipped. */
export async function ask(port: number, path: string, { method = 'GET', headers = {}, agent }: Asked = {}) {
  const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: agent ?? new Agent() });
  asked.end();
  const [response] = await once(asked, 'response');
  const zipped = response.headers['content-encoding'] === 'gzip' && method !== 'HEAD';
  const body = await text(zipped ? response.pipe(createGunzip()) : response);
  return { status: response.statusCode, headers: response.headers, body } as Answer;
}

/** A bare connection to a server on loopback, open. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}
