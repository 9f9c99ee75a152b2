import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as the spy sees it. */
export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
}

/** Stands between the controllers of a row and the API server, and may keep a request or its answer to itself. */
export interface Spy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Whether a request goes on to the server; set it. */
  onRequest: (asked: Asked) => 'pass' | 'hang';
  /** Whether an answer, which the server has given by then, goes back; set it. */
  onAnswer: (asked: Asked) => 'pass' | 'hang';
  /** Whatever comes passes again. */
  forget(): void;
  close(): Promise<void>;
}

interface Target {
  readonly url: string;
  /** Of an https URL, PEM. */
  readonly ca?: string;
}

const pass = () => 'pass' as const;

/** Passes requests on to a server, TLS on its far side alone: what is said can be read. */
export async function startSpy({ url, ca }: Target): Promise<Spy> {
  const secure = url.startsWith('https:');
  const agent = secure ? new SecureAgent({ keepAlive: true, ca }) : new PlainAgent({ keepAlive: true });
  const send = secure ? secureRequest : plainRequest;
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const asked = { method: request.method ?? '', path: request.url ?? '' };
    if (spy.onRequest(asked) === 'hang') return;
    const headers = { ...request.headers, host: new URL(url).host };
    const onward = send(new URL(asked.path, url), { method: asked.method, headers, agent }, (answer) => {
      if (spy.onAnswer(asked) === 'pass') giveBack(answer, response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  };
  const server = createServer(serve);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const spy: Spy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onRequest: pass,
    onAnswer: pass,
    forget: () => Object.assign(spy, { onRequest: pass, onAnswer: pass }),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
  return spy;
}

function giveBack(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  // A watch is quiet for long after its headers.
  response.flushHeaders();
  answer.pipe(response);
  answer.on('close', () => {
    if (!answer.complete) response.destroy();
  });
}
