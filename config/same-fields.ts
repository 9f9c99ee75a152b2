/** Whether two flat values have the same fields with the same values; lists are compared item by item. */
export function sameFields(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map<string, unknown>(Object.entries(b))];
  return (
    left.length === right.size && left.every(([name, value]) => right.has(name) && sameValue(value, right.get(name)))
  );
}

function sameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return Object.is(a, b);
  return a.length === b.length && a.every((item, index) => Object.is(item, b[index]));
}
