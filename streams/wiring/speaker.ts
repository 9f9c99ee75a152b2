import type { ResourceAttributes } from '../../lib/io/otlp/resource-attributes.ts';
import type { ExportResult, Signal } from '../../lib/io/otlp/target.ts';
import type { Log } from '../../lib/log.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Profile } from '../../lib/profile.ts';

/** Who speaks OTLP, and how what comes of it is said: the same for metrics and traces. */
export interface Speaker {
  readonly resource: ResourceAttributes;
  readonly scope: { readonly name: string; readonly version: string };
  readonly bareEndpoint: Profile['behaviour']['bareEndpoint'];
  /** Headers and the names of certificate files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Says how the pushes of a new exporter go. */
  readonly report: (signal: Signal) => (result: ExportResult) => void;
  /** To be awaited before the first exporter: sends what OpenTelemetry's packages say to our log. */
  readonly listen: () => Promise<void>;
  readonly measure: Measure;
  readonly log: Log;
}

/** How often the certificate files of an exporter are looked at, ms: a few microseconds each time. */
export const certificateLookMs = 1000;

/** Edits closer together than this are one switch; far below the two seconds that an operator waits. */
export const switchDebounceMs = 200;

/** One sentence on why what `key` asks for was refused; `stamp` is that of the certificate files that may end it. */
export function refusalOf(key: string, error: unknown, stamp: string | undefined): string {
  const again = stamp === undefined ? '' : ' (tried again when the certificate files change)';
  return `${key}: ${error instanceof Error ? error.message : String(error)}${again}`;
}
