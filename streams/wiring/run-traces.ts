import { distinctUntilChanged, map, type Observable, tap } from 'rxjs';
import type { ObservabilitySettings } from '../../config/settings.ts';
import { certificateStamp } from '../../lib/io/otlp/certificate-stamp.ts';
import { sha256Hex } from '../../lib/io/otlp/sha256-hex.ts';
import type { TracesExporter } from '../../lib/io/otlp/traces-exporter.ts';
import type { Profile } from '../../lib/profile.ts';
import type { Observed } from '../../lib/run/run.ts';
import type { Step } from '../../lib/run/step.ts';
import { placeOf } from '../../lib/traces/place-of.ts';
import type { SpanContext } from '../../lib/traces/span-context.ts';
import { spansOf } from '../../lib/traces/spans-of.ts';
import { createTraceMemory, type TraceMemory } from '../../lib/traces/trace-memory.ts';
import { traceparentOf } from '../../lib/traces/traceparent-of.ts';
import { againOnChange } from '../operators/again-on-change.ts';
import { switchTwoPhase } from '../operators/switch-two-phase.ts';
import { certificateLookMs, refusalOf, type Speaker, switchDebounceMs } from './speaker.ts';

type Wanted = Pick<ObservabilitySettings, 'tracingProtocol' | 'tracingEndpoint'>;

interface Export extends Wanted {
  /** Undefined while runs are not traced. */
  readonly exporter: TracesExporter | undefined;
}

interface Options extends Speaker {
  readonly profile: Profile;
  readonly write: (text: string) => void;
  /** The protocol in force has changed. */
  readonly onSwitched: (protocol: Wanted['tracingProtocol']) => void;
  /** Settings were refused on our side, with one sentence. */
  readonly onProblem: (problem: string) => void;
}

/** Runs as traces, by the settings in force. */
export interface RunTraces {
  /** Follows one step of a run. */
  trace(step: Step): void;
  /** What an event about the run carries; undefined while it is not traced. */
  traceparent(observed: Observed): string | undefined;
  /** The run's own span, sent at its end; undefined while it is not traced. */
  spanOf(observed: Observed): SpanContext | undefined;
  /** A new term of leading begins: what was remembered of unfinished runs is no longer followed. */
  startOver(): void;
  /** Writes the gauges. */
  refresh(): void;
  /** Switches with the settings; completes when they have and what waits is flushed. */
  readonly switch$: Observable<unknown>;
}

/** Spans of runs, sent as `tracing-protocol`, `-endpoint` and `-sampling-rate` ask. */
export function createRunTraces(observability$: Observable<ObservabilitySettings>, options: Options): RunTraces {
  const { profile, measure, log } = options;
  const newMemory = (): TraceMemory =>
    createTraceMemory({ onForgotten: (cause) => measure.count('trace_history_forgotten_total', { cause }) });
  let memory = newMemory();
  let samplingRate = 1;
  let exporter: TracesExporter | undefined;
  const stampOf = ({ tracingProtocol: protocol, tracingEndpoint: endpoint }: Wanted) =>
    certificateStamp('traces', { protocol, endpoint, bareEndpoint: options.bareEndpoint, env: options.env });
  const given = () => ({ profile, samplingRate, hash: sha256Hex });

  const switch$ = observability$.pipe(
    tap(({ tracingSamplingRate }) => {
      samplingRate = tracingSamplingRate;
    }),
    map(({ tracingProtocol, tracingEndpoint }): Wanted => ({ tracingProtocol, tracingEndpoint })),
    distinctUntilChanged((a, b) => a.tracingProtocol === b.tracingProtocol && a.tracingEndpoint === b.tracingEndpoint),
    againOnChange({ stampOf, everyMs: certificateLookMs }),
    switchTwoPhase<Wanted, Export>({
      debounceMs: switchDebounceMs,
      build: async (wanted) => ({ ...wanted, exporter: await build(wanted, options) }),
      stop: async (former) => former.exporter?.shutdown(),
      onRefused: (error, wanted) => {
        const problem = refusalOf('tracing-protocol', error, stampOf(wanted));
        log.error({ problem }, 'runs cannot be traced like that, what was before stays');
        measure.count('exporter_switches_total', { signal: 'traces', outcome: 'refused' });
        options.onProblem(problem);
      },
      onStopFailed: (error) => log.warn({ problem: String(error) }, 'the former tracing did not end well'),
    }),
    tap((now) => {
      exporter = now.exporter;
      // Nobody follows runs to their ends from now on.
      if (exporter === undefined) memory = newMemory();
      measure.count('exporter_switches_total', { signal: 'traces', outcome: 'applied' });
      options.onSwitched(now.tracingProtocol);
      log.info({ protocol: now.tracingProtocol }, 'runs are traced as the settings ask');
    }),
  );
  return {
    switch$,
    trace: (step) => {
      if (exporter === undefined) return;
      const spans = spansOf(step, memory, given());
      if (spans.length > 0) exporter.send(spans);
    },
    traceparent: (observed) => (exporter === undefined ? undefined : traceparentOf(observed, memory, given())),
    spanOf: (observed) => {
      if (exporter === undefined) return undefined;
      const place = placeOf(observed, memory, given());
      return place.sampled ? place : undefined;
    },
    startOver: () => {
      memory = newMemory();
    },
    refresh: () => measure.set('span_queue_length', exporter?.queued ?? 0),
  };
}

async function build(
  { tracingProtocol: protocol, tracingEndpoint: endpoint }: Wanted,
  { measure, listen, write, report, bareEndpoint, env, resource, scope }: Options,
): Promise<TracesExporter | undefined> {
  if (protocol === 'none') return undefined;
  await listen();
  const { createTracesExporter } = await import('../../lib/io/otlp/traces-exporter.ts');
  const say = report('traces');
  return createTracesExporter({
    protocol,
    endpoint,
    bareEndpoint,
    env,
    resource,
    scope,
    write,
    onDropped: (cause, spans) => measure.count('spans_dropped_total', { cause }, spans),
    onExport: (result) => {
      measure.count('exports_total', { signal: 'traces', outcome: result.ok ? 'taken' : 'failed' });
      say(result);
    },
  });
}
