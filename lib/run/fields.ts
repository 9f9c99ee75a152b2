/** The field of something that may be no object at all; undefined where it is not there. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** The value where it is a string, else ''. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The string behind a path of fields; '' where any of them is missing or it is no string. */
export function text(value: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>(field, value);
  return typeof found === 'string' ? found : '';
}

/** A Kubernetes timestamp in ms since the epoch; undefined where it is missing or no date. */
export function timeMs(value: unknown, ...path: readonly string[]): number | undefined {
  const parsed = Date.parse(text(value, ...path));
  return Number.isNaN(parsed) ? undefined : parsed;
}
