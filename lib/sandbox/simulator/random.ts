/**
 * Numbers in [0, 1), the same for the same seed: mulberry32, 32 bits of state, good enough to choose lives by.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of a table's rows, each as likely as its weight. Throws on an empty table. */
export function weighted<T extends { readonly weight: number }>(rows: readonly T[], random: number): T {
  let left = random * rows.reduce((sum, { weight }) => sum + weight, 0);
  const found = rows.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  const chosen = found ?? rows.at(-1);
  if (chosen === undefined) throw new Error('expected a table with at least one row, got none');
  return chosen;
}
