import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type EventWord, eventWords } from '../lib/run/step.ts';
import { isJson, jsonAt, textAt } from '../lib/sandbox/api/stored-object.ts';
import type { Arrival } from './judge.ts';
import { keyOf } from './ledger.ts';

/** How a request is answered; true when the answer was a whole 2xx. */
export type Behaviour = (response: ServerResponse, arrival: Arrival) => boolean | Promise<boolean>;

/** A sink on loopback that numbers what it gets. */
export interface NumberedSink {
  /** Changes with `reopen`. */
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  behaviour: Behaviour;
  /** Called with each request before it is answered. */
  onArrival: (arrival: Arrival) => void;
  /** Called when a request has been answered. */
  onAnswered: (arrival: Arrival) => void;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
  /** Listens again, at the same port or at another. */
  reopen(where: 'same' | 'other'): Promise<void>;
}

export const take: Behaviour = (response) => {
  response.writeHead(204).end();
  return true;
};

/** Starts a sink that takes everything. */
export async function startNumberedSink(): Promise<NumberedSink> {
  const arrivals: Arrival[] = [];
  let server: Server | undefined;
  let port = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {});
    const body = await json(request).catch(() => undefined);
    if (body === undefined) return;
    const arrival = arrivalOf(request, body, arrivals.length + 1);
    arrivals.push(arrival);
    response.once('finish', () => sink.onAnswered(arrival));
    sink.onArrival(arrival);
    arrival.accepted = await sink.behaviour(response, arrival);
  };
  const open = async (wanted: number) => {
    server = createServer((request, response) => void serve(request, response));
    await once(server.listen(wanted, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const sink: NumberedSink = {
    get url() {
      return `http://127.0.0.1:${port}/events`;
    },
    arrivals,
    behaviour: take,
    onArrival: () => {},
    onAnswered: () => {},
    close: async () => {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      const closed = once(closing, 'close');
      closing.close();
      closing.closeAllConnections();
      await closed;
    },
    reopen: (where) => open(where === 'same' ? port : 0),
  };
  await open(0);
  return sink;
}

function arrivalOf({ headers, url: path = '' }: IncomingMessage, body: unknown, number: number): Arrival {
  const resource = isJson(body) ? Object.values(body)[0] : undefined;
  const conditions = jsonAt(resource, 'status').conditions;
  const condition = Array.isArray(conditions) ? conditions[0] : undefined;
  const text = (name: string) => String(headers[name] ?? '');
  const key = keyOf({
    uid: textAt(jsonAt(resource, 'metadata'), 'uid'),
    word: wordOf(text('ce-type')),
    status: textAt(condition, 'status'),
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
  });
  return { number, atMs: performance.now(), id: text('ce-id'), source: text('ce-source'), key, path, accepted: false };
}

function wordOf(type: string): EventWord {
  const found = eventWords.find((word) => type.endsWith(`.${word}.v1`));
  if (found === undefined) throw new Error(`expected a Ce-Type of section 6.2, got ${type}`);
  return found;
}
