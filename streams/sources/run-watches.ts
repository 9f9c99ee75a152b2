import type { Observable } from 'rxjs';
import type { Checkpoint } from '../../lib/checkpoint/checkpoint.ts';
import type { KubeApi } from '../../lib/kube/api.ts';
import type { Log } from '../../lib/log.ts';
import { leastOf } from '../../lib/metrics/least-of.ts';
import type { Measure } from '../../lib/metrics/own.ts';
import type { Profile } from '../../lib/profile.ts';
import { createByteStrings, type ReadString } from '../../lib/run/byte-strings.ts';
import { type Kind, kindNames, kinds } from '../../lib/run/kind.ts';
import { readRun } from '../../lib/run/read.ts';
import { createScanRun } from '../../lib/run/scan.ts';
import { observeRuns, type RunNote } from '../operators/observe-runs.ts';
import { discovered } from './discovered.ts';
import { watchResource } from './watch-resource.ts';

/** One kind in one namespace, or in all of them. */
export interface RunWatch {
  readonly kind: Kind;
  /** '' is all namespaces. */
  readonly namespace: string;
  /** What its mark stands under in a checkpoint: `taskruns`, or `taskruns/<namespace>`. */
  readonly key: string;
  readonly note$: Observable<RunNote>;
}

type ToldTable = NonNullable<Parameters<typeof observeRuns>[0]['known']>;

interface Options {
  readonly api: KubeApi;
  readonly profile: Profile;
  /** Empty: all namespaces in one watch a kind. */
  readonly namespaces: readonly string[];
  /** Where to go on from; undefined begins with a baseline. */
  readonly checkpoint: Checkpoint | undefined;
  /** By key of a watch: what was told of its runs; see `observeRuns`. Undefined: no told table is kept. */
  readonly knownOf?: ((key: string) => ReturnType<ToldTable>) | undefined;
  /** When this controller began to look, ms since the epoch. */
  readonly sinceMs: number;
  /** See `watchResource`. */
  readonly putBack$?: Observable<string | undefined>;
  readonly pageSize: number;
  readonly measure: Measure;
  readonly log: Log;
}

/** A watch for each kind of run and each namespace, none of them begun. */
export function runWatches(options: Options): readonly RunWatch[] {
  const namespaces = options.namespaces.length === 0 ? [''] : options.namespaces;
  // One for all: what it holds would else be held for each of a hundred namespaces.
  const read = createByteStrings();
  return kinds.flatMap((kind) => {
    // The gauges name the kind alone.
    const part = leastOf(options.measure);
    return namespaces.map((namespace) => runWatch(kind, namespace, { ...options, read, measure: part() }));
  });
}

/** What the watches of these namespaces are called, see `RunWatch.key`. */
export function watchKeys(namespaces: readonly string[]): readonly string[] {
  const all = namespaces.length === 0 ? [''] : namespaces;
  return kinds.flatMap((kind) => all.map((namespace) => watchKey(kind, namespace)));
}

function watchKey(kind: Kind, namespace: string): string {
  const { plural } = kindNames[kind];
  return namespace === '' ? plural : `${plural}/${namespace}`;
}

function runWatch(kind: Kind, namespace: string, options: Options & { readonly read: ReadString }): RunWatch {
  const { read, api, profile, checkpoint, knownOf, sinceMs, putBack$, pageSize, measure, log } = options;
  const { plural } = kindNames[kind];
  const key = watchKey(kind, namespace);
  const mark = checkpoint?.marks[key];
  const scanRun = createScanRun({ kind, labels: profile.labels, read });
  const watch$ = watchResource({
    api,
    type: discovered(api, profile.apiGroup, plural),
    namespace,
    read: (resource, type) => readRun(resource, { kind, type, labels: profile.labels }),
    scan: (unparsed, type) => {
      const object = scanRun(unparsed, type);
      return object && { object, resourceVersion: object.run.resourceVersion };
    },
    resourceLabel: plural,
    startAt: mark?.acked,
    putBack$,
    pageSize,
    measure,
    log,
  });
  const resume = checkpoint && {
    reached: mark?.acked,
    countedTo: mark?.observed,
    greatestTransitionMs: checkpoint.greatestTransitionMs,
  };
  const known = knownOf && (() => knownOf(key));
  const note$ = watch$.pipe(observeRuns({ behaviour: profile.behaviour, sinceMs, resume, known }));
  return { kind, namespace, key, note$ };
}
