import type { Log, LogFields } from '../../lib/log.ts';

export interface LogLine {
  readonly level: keyof Log;
  readonly fields: LogFields;
  readonly sentence: string;
}

/** A Log that keeps its lines. */
export function recordedLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: keyof Log) => (fields: LogFields, sentence: string) =>
    void lines.push({ level, fields, sentence });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
