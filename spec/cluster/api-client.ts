import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

interface Answer {
  readonly status: number;
  /** The body, parsed where it is JSON, else as text: a watch is as many values as it has lines. */
  readonly body: unknown;
}

/** Asks one API server, as whoever the token names. */
export interface ApiClient {
  /** Rejects only when no answer came; an error status is an answer. */
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Closes its connections; a call after it opens others, with the CA file as it is then. */
  close(): Promise<void>;
}

interface ApiClientOptions {
  readonly url: string;
  readonly caFile: string;
  /** Used where a call brings none of its own. */
  readonly token: string;
}

/** A client with connections of its own; the CA file is read at the first call, as the server writes it at start. */
export function apiClient({ url, caFile, token: ownToken }: ApiClientOptions): ApiClient {
  let agent: Agent | undefined;
  return {
    async ask(method, path, body, token = ownToken) {
      agent ??= new Agent({ allowH2: false, connect: { ca: readFileSync(caFile) } });
      const answer = await request(`${url}${path}`, {
        dispatcher: agent,
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const lines = answer.statusCode === 200 && path.includes('watch=true');
      return { status: answer.statusCode, body: lines ? text : parsed(text) };
    },
    async close() {
      const last = agent;
      agent = undefined;
      await last?.destroy();
    },
  };
}

function parsed(text: string): unknown {
  return /^\s*[{[]/.test(text) ? JSON.parse(text) : text;
}
