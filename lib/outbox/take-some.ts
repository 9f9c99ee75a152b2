interface Amount<V> {
  readonly most: number;
  /** Passed by the last that is taken, so that a large one is ever taken at all. */
  readonly mostBytes?: number;
  readonly bytesOf?: (value: V) => number;
}

/** Takes the first entries out of a map, in their order; at least one where there is one. */
export function takeSome<V>(
  from: Map<string, V>,
  { most, mostBytes = Number.POSITIVE_INFINITY, bytesOf = () => 0 }: Amount<V>,
): Map<string, V> {
  const taken = new Map<string, V>();
  let bytes = 0;
  for (const [key, value] of from) {
    if (taken.size >= most || bytes >= mostBytes) break;
    taken.set(key, value);
    bytes += bytesOf(value);
    from.delete(key);
  }
  return taken;
}
