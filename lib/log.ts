/** Values that stand beside a log sentence. Never a sink URL, a token or a header. */
export type LogFields = Readonly<Record<string, unknown>>;

/** One line a call: a constant sentence with fields. Shaped so that a pino logger is one. */
export interface Log {
  debug(fields: LogFields, sentence: string): void;
  info(fields: LogFields, sentence: string): void;
  warn(fields: LogFields, sentence: string): void;
  error(fields: LogFields, sentence: string): void;
}

/** A log that says nothing: for specs and for callers who have nowhere to say it. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
