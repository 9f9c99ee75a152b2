import type { KubeApi } from '../../kube/api.ts';

/**
 * A `discover` that asks the server once for all who want to know of a group at the same time: every kind of a group
 * asks for its own when the process starts and when the server comes back.
 *
 * Whoever aborts leaves the others their answer.
 */
export function shareDiscovery(ask: (group: string) => ReturnType<KubeApi['discover']>): KubeApi['discover'] {
  const underWay = new Map<string, ReturnType<KubeApi['discover']>>();
  return (group, signal) => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const found = underWay.get(group) ?? ask(group).finally(() => underWay.delete(group));
    underWay.set(group, found);
    return signal === undefined ? found : unlessAborted(found, signal);
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const settled = () => signal.removeEventListener('abort', abort);
    promise.then(resolve, reject).finally(settled);
  });
}
