/**
 * Which of two resourceVersions is later: negative, 0 or positive, as for `sort`.
 *
 * Versions of one API server are decimal numbers without bound that grow together over all its resources.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The later of two; undefined is earlier than any. */
export function laterVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareVersions(a, b) >= 0 ? a : b;
}

/** The earlier of two; undefined is earlier than any. */
export function earlierVersion(a: string, b: string | undefined): string | undefined {
  return b !== undefined && compareVersions(a, b) < 0 ? a : b;
}

/** The version just before this one, a moment at which nothing of this one had happened. */
export function versionBefore(version: string): string {
  return String(BigInt(version) - 1n);
}
