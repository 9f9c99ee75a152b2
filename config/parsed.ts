/**
 * A text read: its value, or everything that is wrong with it at once.
 *
 * A problem is one line fit for a log, an Event and a status page:
 * `metrics.taskrun.level: expected taskrun | task | namespace, got "pod"`.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[]; readonly warnings: readonly string[] };
