import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Log } from '../../log.ts';
import {
  type HttpServer,
  type ListenOptions,
  pathOf,
  refuseMethod,
  sendText,
  startHttpServer,
} from '../servers/http-server.ts';
import { openProfiles, type Profiles } from './inspector-profiles.ts';
import { encodePprof, type Measures } from './pprof.ts';
import { maxSeconds, readSeconds } from './read-seconds.ts';

interface ProfilerOptions extends Pick<ListenOptions, 'host' | 'port'> {
  readonly log: Log;
  /** `--profiling-port` by default. */
  readonly flag?: string;
}

/** Serves profiles of this process under `/debug/pprof/` while that is enabled. */
export interface Profiler {
  /** Listens, still disabled, and gives the port; rejects with one sentence when it cannot be had. */
  open(): Promise<number>;
  /** Switches `runtime-profiling`. Off ends a profile under way at once. */
  enable(on: boolean): Promise<void>;
  /** Ends a profile under way and stops listening. */
  close(): Promise<void>;
}

const index = `profiles of this process, for go tool pprof:
/debug/pprof/profile?seconds=30  what runs within so many seconds, 1 to ${maxSeconds}
/debug/pprof/heap                what is allocated since profiling was enabled and still in use
`;
const disabled = 'profiling is disabled: runtime-profiling in config-observability enables it\n';
const compress = promisify(gzip);

/** A profiler that does not listen yet. Disabled, it answers 404 with a sentence and samples nothing. */
export function createProfiler({ host, port, log, flag = '--profiling-port' }: ProfilerOptions): Profiler {
  let server: HttpServer | undefined;
  let profiles: Profiles | undefined;
  let running: AbortController | undefined;
  /** Edits are carried out one after the other. */
  let switching: Promise<void> = Promise.resolve();

  const turn = async (on: boolean) => {
    if (on === (profiles !== undefined)) return;
    running?.abort();
    profiles?.close();
    profiles = on ? await openProfiles() : undefined;
    log.info({ enabled: on }, 'runtime profiling switched');
  };

  const cpu = async (from: Profiles, request: IncomingMessage, response: ServerResponse) => {
    const seconds = readSeconds(request.url ?? '');
    if (typeof seconds === 'string') return sendText(response, 400, `${seconds}\n`);
    if (running !== undefined) return sendText(response, 429, 'another CPU profile is under way: one at a time\n');
    const aborting = new AbortController();
    running = aborting;
    const left = () => aborting.abort();
    response.once('close', left);
    try {
      await sendProfile(response, 'profile', await from.cpu(seconds, aborting.signal));
    } catch (error) {
      if (!aborting.signal.aborted) throw error;
      sendText(response, 503, 'the profile ended early: profiling was disabled\n');
    } finally {
      response.off('close', left);
      running = undefined;
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (refuseMethod(request, response)) return;
    if (profiles === undefined) return sendText(response, 404, disabled);
    const path = pathOf(request);
    if (path === '/debug/pprof' || path === '/debug/pprof/') return sendText(response, 200, index);
    if (path === '/debug/pprof/heap') return sendProfile(response, 'heap', await profiles.heap());
    if (path === '/debug/pprof/profile') return cpu(profiles, request, response);
    sendText(response, 404, 'profiles are listed at /debug/pprof/\n');
  };

  const enable = (on: boolean) => {
    // A config map cannot end the process, whatever becomes of the sampling.
    switching = switching
      .then(() => turn(on))
      .catch((error: unknown) => log.error({ error }, 'runtime profiling could not be switched, it is disabled'));
    return switching;
  };

  return {
    async open() {
      // A CPU profile says nothing while it is taken: a connection may stand still for longer than that.
      const options = { host, port, flag, graceMs: 200, stallMs: (maxSeconds + 60) * 1000 };
      server = await startHttpServer(options, (request, response) => {
        answer(request, response).catch((error: unknown) => failed(log, response, error));
      });
      return server.port;
    },
    enable,
    async close() {
      await enable(false);
      await server?.close();
    },
  };
}

async function sendProfile(response: ServerResponse, name: string, measures: Measures): Promise<void> {
  const body = await compress(encodePprof(measures));
  response.writeHead(200, {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="${name}.pb.gz"`,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function failed(log: Log, response: ServerResponse, error: unknown): void {
  log.error({ error }, 'a profile could not be taken');
  if (response.headersSent) response.destroy();
  else sendText(response, 500, 'the profile could not be taken\n');
}
