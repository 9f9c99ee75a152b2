import type { OtlpTarget, Signal } from './target.ts';

/** A variable that is set: its name and its text. */
export interface Variable {
  readonly name: string;
  readonly text: string;
}

/** The variables of a signal by the end of their names: its own, that of all signals, and which of them counts. */
export function variablesOf(signal: Signal, env: OtlpTarget['env']) {
  const read = (name: string): Variable | undefined => {
    const text = env[name]?.trim() ?? '';
    return text === '' ? undefined : { name, text };
  };
  return (suffix: string) => {
    const own = read(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${suffix}`);
    const shared = read(`OTEL_EXPORTER_OTLP_${suffix}`);
    return { own, shared, first: own ?? shared };
  };
}
