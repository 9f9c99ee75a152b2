import type { MapName } from '../../config/settings.ts';

/** Values that one key may be edited to. */
interface Choice {
  readonly map: MapName;
  readonly key: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

/** The text of a config map to be written. */
interface Edit {
  readonly map: MapName;
  readonly data: Readonly<Record<string, string>>;
}

/** Where exporters and events may be sent. */
interface EditTargets {
  readonly endpoints: readonly string[];
  readonly sinks: readonly string[];
}

const truth = { valid: ['true', 'false'], invalid: ['True', 'yes', ''] };
const level = ['namespace', 'pipeline', 'pipelinerun'];
const aggregations = ['explicit_bucket_histogram', 'base2_exponential_bucket_histogram'];
const durationType = { valid: ['histogram', 'lastvalue'], invalid: ['summary'] };

/** Every key of section 2.2. */
function choices({ endpoints, sinks }: EditTargets): readonly Choice[] {
  const map = 'config-observability';
  const endpoint = { valid: endpoints, invalid: ['collector', 'a b:1'] };
  return [
    { map, key: 'metrics-protocol', valid: ['prometheus', 'grpc', 'http/protobuf', 'none'], invalid: ['otlp'] },
    { map, key: 'metrics-endpoint', ...endpoint },
    { map, key: 'metrics-export-interval', valid: ['100ms', '1s', '1h'], invalid: ['5x', '0s'] },
    { map, key: 'metrics.taskrun.level', valid: ['taskrun', 'task', 'namespace'], invalid: ['pod'] },
    { map, key: 'metrics.taskrun.duration-type', ...durationType },
    { map, key: 'metrics.pipelinerun.level', valid: level, invalid: ['cluster'] },
    { map, key: 'metrics.pipelinerun.duration-type', ...durationType },
    { map, key: 'metrics.running-pipelinerun.level', valid: [...level, ''], invalid: ['none'] },
    { map, key: 'metrics.count.enable-reason', ...truth },
    { map, key: 'metrics.taskrun.throttle.enable-namespace', ...truth },
    { map, key: 'metrics.otlp.histogram-aggregation', valid: aggregations, invalid: ['exponential'] },
    { map, key: 'tracing-protocol', valid: ['grpc', 'http/protobuf', 'stdout', 'none'], invalid: ['jaeger'] },
    { map, key: 'tracing-endpoint', ...endpoint },
    { map, key: 'tracing-sampling-rate', valid: ['0.0', '0.5', '1.0'], invalid: ['1.5'] },
    { map, key: 'runtime-profiling', valid: ['enabled', 'disabled'], invalid: ['on'] },
    { map, key: 'runtime-export-interval', valid: ['100ms', '15s'], invalid: ['often'] },
    { map: 'config-events', key: 'formats', valid: ['svcv1'], invalid: ['', 'v2'] },
    { map: 'config-events', key: 'sink', valid: sinks, invalid: ['sink.test', 'ftp://sink.test'] },
    { map: 'config-defaults', key: 'default-cloud-events-sink', valid: sinks, invalid: ['nowhere'] },
    { map: 'feature-flags', key: 'send-cloudevents-for-runs', ...truth },
  ];
}

/** Part of the edits that have a wrong value. */
const wrongShare = 0.25;

/** Edits without end: a map each time, most of its keys at random; one in four has a wrong value. */
export function* randomEdits(targets: EditTargets, random: () => number): Generator<Edit, never> {
  const all = choices(targets);
  const one = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error('expected something to choose from, got nothing');
    return value;
  };
  for (;;) {
    // The map with most keys comes up most often.
    const { map } = one(all);
    const keys = all.filter((choice) => choice.map === map);
    // Without its sink the queue would be dropped, as it should be.
    const taken = keys.filter(({ key }) => key === 'sink' || /endpoint$/.test(key) || random() < 0.7);
    const data = Object.fromEntries(taken.map(({ key, valid }) => [key, one(valid)]));
    const wrong = one(keys);
    yield { map, data: random() < wrongShare ? { ...data, [wrong.key]: one(wrong.invalid) } : data };
  }
}
