import { setTimeout as wait } from 'node:timers/promises';
import type { Arrival } from './judge.ts';
import { type Behaviour, take } from './numbered-sink.ts';

/** Answers every request with a status. */
export function answers(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, headers).end();
    return false;
  };
}

/** Reads the request and never answers. */
export const hangs: Behaviour = () => false;

/** Cuts the connection within the status line, so that nobody can know what it would have been. */
export const closesMidAnswer: Behaviour = (response) => {
  response.socket?.end('HTTP/1.1 20');
  return false;
};

/** Resets the connection instead of an answer. */
export const resets: Behaviour = (response) => {
  response.socket?.resetAndDestroy();
  return false;
};

/** Takes everything, so many ms later. */
export function slow(delayMs: number): Behaviour {
  return async (response, arrival) => {
    await wait(delayMs);
    return take(response, arrival);
  };
}

/** Refuses a share of the requests, at random. */
export function refusesShare(share: number): Behaviour {
  return (response, arrival) => (Math.random() < share ? answers(503)(response, arrival) : take(response, arrival));
}

/** Refuses what `wanted` says, takes the rest. */
export function refuses(wanted: (arrival: Arrival) => boolean): Behaviour {
  return (response, arrival) => (wanted(arrival) ? answers(500)(response, arrival) : take(response, arrival));
}
