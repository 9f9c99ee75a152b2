/** Something that can be ended. */
interface Endable {
  end(): void;
}

/** Of each signal, what ends with it. */
const waiting = new WeakMap<AbortSignal, Set<Endable>>();

/**
 * Ends something when a signal aborts, until the function that comes back is called.
 *
 * One listener for each signal, however many wait: a signal looks through all its listeners at each that comes or goes.
 */
export function endsWith(signal: AbortSignal, endable: Endable): () => void {
  const all = waiting.get(signal) ?? listenTo(signal);
  all.add(endable);
  return () => void all.delete(endable);
}

function listenTo(signal: AbortSignal): Set<Endable> {
  const all = new Set<Endable>();
  waiting.set(signal, all);
  const end = () => {
    for (const endable of all) endable.end();
  };
  signal.addEventListener('abort', end, { once: true });
  return all;
}
