import { Line, Location, Function as PprofFunction, Profile, Sample, StringTable, ValueType } from 'pprof-format';

/** Where a function was, as V8 says it. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0; -1 where there is none. */
  readonly lineNumber: number;
}

/** What was measured at one call stack. */
export interface Measured {
  /** The innermost frame first. */
  readonly stack: readonly Frame[];
  /** One for each of the profile's types. */
  readonly values: readonly number[];
}

export interface Measures {
  /** For example `{ type: 'cpu', unit: 'nanoseconds' }`; the last is shown unless asked otherwise. */
  readonly types: readonly { readonly type: string; readonly unit: string }[];
  readonly samples: Iterable<Measured>;
  /** Between two samples, in the unit of the last type. */
  readonly period: number;
  /** Ms since the epoch. */
  readonly startMs: number;
  readonly durationMs: number;
}

const nanoseconds = (ms: number) => BigInt(Math.round(ms * 1000)) * 1000n;

/** A profile in the format that `go tool pprof` reads, not yet compressed. */
export function encodePprof({ types, samples, period, startMs, durationMs }: Measures): Uint8Array<ArrayBuffer> {
  const strings = new StringTable();
  const sampleType = types.map(
    ({ type, unit }) => new ValueType({ type: strings.dedup(type), unit: strings.dedup(unit) }),
  );
  const locations = createLocations(strings);
  const sample = [...samples].map(
    ({ stack, values }) => new Sample({ locationId: stack.map(locations.idOf), value: [...values] }),
  );
  const profile = new Profile({
    sampleType,
    sample,
    location: locations.all,
    function: locations.functions,
    stringTable: strings,
    timeNanos: nanoseconds(startMs),
    durationNanos: nanoseconds(durationMs),
    period,
    ...lastOf(sampleType),
  });
  return new Uint8Array(profile.encode());
}

function lastOf(types: readonly ValueType[]) {
  const last = types.at(-1);
  return last === undefined ? {} : { periodType: last, defaultSampleType: last.type };
}

/** One location a frame, one function each: V8 tells where a function begins, not which line of it ran. */
function createLocations(strings: StringTable) {
  const ids = new Map<string, number>();
  const all: Location[] = [];
  const functions: PprofFunction[] = [];
  const idOf = ({ functionName, url, lineNumber }: Frame): number => {
    const key = `${functionName}\n${url}\n${lineNumber}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = all.length + 1;
    const line = Math.max(0, lineNumber + 1);
    const name = strings.dedup(functionName || '(anonymous)');
    ids.set(key, id);
    functions.push(new PprofFunction({ id, name, systemName: name, filename: strings.dedup(url), startLine: line }));
    all.push(new Location({ id, line: [new Line({ functionId: id, line })] }));
    return id;
  };
  return { all, functions, idOf };
}
