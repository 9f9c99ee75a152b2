import { once } from 'node:events';
import type { ControllerProcess } from './controller-process.ts';

/** What a process holds after a garbage collection. */
export interface Held {
  readonly heapBytes: number;
  /** Sockets, servers, timers and the like that keep it going, how many of each kind. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Lets `held` look into a controller. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

const expression = `JSON.stringify({
  heapBytes: process.memoryUsage().heapUsed,
  resources: Object.fromEntries(Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind))
    .map(([kind, all]) => [kind, all.length])),
})`;

/** Collects garbage in a process that was started `inspectable`, and says what is left. */
export async function held(controller: ControllerProcess): Promise<Held> {
  const { msg } = await controller.logged((line) => line.msg.startsWith('Debugger listening on '));
  const socket = new WebSocket(msg.replace('Debugger listening on ', ''));
  await once(socket, 'open');
  try {
    // The first collection lets finalizers run whose objects only the second takes.
    await ask(socket, 'HeapProfiler.collectGarbage');
    await ask(socket, 'HeapProfiler.collectGarbage');
    return JSON.parse(await ask(socket, 'Runtime.evaluate', { expression }));
  } finally {
    socket.close();
  }
}

let asked = 0;

async function ask(socket: WebSocket, method: string, params: object = {}): Promise<string> {
  asked += 1;
  const id = asked;
  socket.send(JSON.stringify({ id, method, params }));
  for (;;) {
    const [event] = (await once(socket, 'message')) as [{ readonly data: string }];
    const answer = JSON.parse(event.data);
    if (answer.id === id) return String(answer.result?.result?.value ?? '');
  }
}
