/**
 * The known name that the given one most likely stands for, or undefined when none is near.
 *
 * Near is at most a third of the letters wrong, and at most three. Upper and lower case count as the same letter.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(given.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase(), least);
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Letters to insert, delete, replace or swap with their neighbour; `limit` when it is that many or more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= b.length; column += 1) {
      next.push(cheapest({ a, b, row, column, before, last, left: at(next, column - 1) }));
    }
    [before, last] = [last, next];
  }
  return Math.min(limit, at(last, b.length));
}

/** The number in this column, no finite one outside of the row. */
function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

interface Cell {
  readonly a: string;
  readonly b: string;
  readonly row: number;
  readonly column: number;
  /** The rows two and one above this cell's. */
  readonly before: readonly number[];
  readonly last: readonly number[];
  readonly left: number;
}

function cheapest({ a, b, row, column, before, last, left }: Cell): number {
  const [here, there] = [a[row - 1], b[column - 1]];
  const swapped = here === b[column - 2] && there === a[row - 2];
  return Math.min(
    left + 1,
    at(last, column) + 1,
    at(last, column - 1) + (here === there ? 0 : 1),
    at(before, column - 2) + (swapped ? 1 : Number.POSITIVE_INFINITY),
  );
}
