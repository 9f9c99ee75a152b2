import type { KubeApi, ResourceType } from '../../kube/api.ts';

/** A question to the server, and how many wait for its answer. */
interface UnderWay {
  readonly answer: Promise<readonly ResourceType[]>;
  readonly stop: AbortController;
  askers: number;
}

/**
 * A `discover` that asks the server once for all who want to know of a group at the same time: every kind of a group
 * asks for its own when the process starts and when the server comes back.
 *
 * Whoever aborts leaves the others their answer; with the last of them the request ends.
 */
export function shareDiscovery(ask: KubeApi['discover']): KubeApi['discover'] {
  const underWay = new Map<string, UnderWay>();

  const begin = (group: string): UnderWay => {
    const stop = new AbortController();
    const begun = { answer: ask(group, stop.signal), stop, askers: 0 };
    underWay.set(group, begun);
    const forget = () => {
      if (underWay.get(group) === begun) underWay.delete(group);
    };
    begun.answer.then(forget, forget);
    stop.signal.addEventListener('abort', forget);
    return begun;
  };

  return (group, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const joined = underWay.get(group) ?? begin(group);
      joined.askers += 1;
      const leave = () => {
        reject(signal?.reason);
        joined.askers -= 1;
        if (joined.askers === 0) joined.stop.abort();
      };
      signal?.addEventListener('abort', leave, { once: true });
      joined.answer.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
    });
}
