/** `ECONNREFUSED`, `ENOENT` and the like: the code of an error of the system or of a connection; '' where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
