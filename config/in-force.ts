import type { Profile } from '../lib/profile.ts';
import type { ConfigMap } from './config-map.ts';
import { defaultSettings } from './default-settings.ts';
import { knownData } from './known-data.ts';
import { type MapData, parseMap } from './parse-map.ts';
import { sameFields } from './same-fields.ts';
import type { MapName, Settings } from './settings.ts';
import type { MapStatus } from './settings-state.ts';

/**
 * What can happen to a config map: a version of it is read, it is not there, it has stayed away for long enough,
 * or nothing can be read and the last good text must do.
 */
export type Reading =
  | { readonly type: 'version'; readonly map: ConfigMap }
  | { readonly type: 'missing' }
  | { readonly type: 'gone' }
  | { readonly type: 'restored'; readonly kept: MapData | undefined };

/** What is to be told of a reading, once; `default`: there is no map, and its defaults hold. */
type Told = 'applied' | 'refused' | 'default' | 'nothing';

/** The values in force for one map, and what the last reading did to them. */
export interface InForce<M extends MapName> {
  readonly value: Settings[M];
  /** The map that named the sink is away, and its values are held for the time being. */
  readonly held: boolean;
  readonly status: MapStatus;
  readonly told: Told;
  /** The reading made a refused map good again. */
  readonly recovered: boolean;
  /** What to keep as the last good text; undefined: what is kept may stay. */
  readonly save: Readonly<Record<string, string>> | undefined;
  /** The version read, where there was one. */
  readonly map: ConfigMap | undefined;
}

export interface Context<M extends MapName> {
  readonly name: M;
  readonly profile: Profile;
  /** The last good text of an earlier process; undefined where none is kept. */
  readonly kept: MapData | undefined;
  readonly nowMs: number;
}

/** The values in force for a map after one more reading; `before` undefined: it is the first. */
export function nextInForce<M extends MapName>(
  before: InForce<M> | undefined,
  reading: Reading,
  context: Context<M>,
): InForce<M> {
  if (reading.type === 'version') return afterVersion(before, reading.map, context);
  const kept = reading.type === 'restored' ? reading.kept : context.kept;
  const last = before ?? keptInForce({ ...context, kept });
  const quiet = { ...last, told: 'nothing', recovered: false, save: undefined } as const;
  if (reading.type === 'restored') return quiet;
  if (reading.type === 'gone') return quiet.held ? defaultInForce(before, context) : quiet;
  const holds = namesSink(quiet.value);
  return holds
    ? { ...quiet, held: true, map: undefined, status: awayStatus(quiet.status) }
    : defaultInForce(before, context);
}

function afterVersion<M extends MapName>(
  before: InForce<M> | undefined,
  map: ConfigMap,
  context: Context<M>,
): InForce<M> {
  const { name, profile, nowMs } = context;
  const parsed = parseMap(name, map.data, profile);
  const status = { resourceVersion: map.resourceVersion, warnings: parsed.warnings };
  if (!parsed.ok) {
    const last = before ?? keptInForce(context);
    const refusedSinceMs = last.status.refusedSinceMs ?? nowMs;
    const source = last.status.source === 'default' ? 'default' : 'last-good';
    const refused = { ...last.status, ...status, source, problems: parsed.problems, refusedSinceMs } as const;
    return { value: last.value, held: false, status: refused, told: 'refused', recovered: false, save: undefined, map };
  }
  const same = before && sameFields(before.value, parsed.value);
  return {
    value: same ? before.value : parsed.value,
    held: false,
    status: {
      ...status,
      source: 'map',
      problems: [],
      sinceMs: same ? before.status.sinceMs : nowMs,
      refusedSinceMs: undefined,
    },
    told: 'applied',
    recovered: before?.status.refusedSinceMs !== undefined,
    save: knownData(name, map.data),
    map,
  };
}

/** Before any version was read: the last good text that an earlier process kept, if it still reads. */
function keptInForce<M extends MapName>({ name, profile, kept, nowMs }: Context<M>): InForce<M> {
  const parsed = kept && Object.keys(kept).length > 0 ? parseMap(name, kept, profile) : undefined;
  return {
    value: parsed?.ok ? parsed.value : defaultSettings(profile)[name],
    held: false,
    status: {
      source: parsed?.ok ? 'last-good' : 'default',
      resourceVersion: undefined,
      problems: [],
      warnings: parsed?.warnings ?? [],
      sinceMs: nowMs,
      refusedSinceMs: undefined,
    },
    told: 'nothing',
    recovered: false,
    save: undefined,
    map: undefined,
  };
}

function defaultInForce<M extends MapName>(before: InForce<M> | undefined, context: Context<M>): InForce<M> {
  const initial = keptInForce({ ...context, kept: undefined });
  const same = before && sameFields(before.value, initial.value);
  return {
    ...initial,
    value: same ? before.value : initial.value,
    status: same ? { ...initial.status, sinceMs: before.status.sinceMs } : initial.status,
    told: 'default',
    recovered: before?.status.refusedSinceMs !== undefined,
    // A map that was deleted on purpose must not come back with the next start.
    save: {},
  };
}

function awayStatus(status: MapStatus): MapStatus {
  return { ...status, source: 'last-good', resourceVersion: undefined, problems: [], refusedSinceMs: undefined };
}

/** The fields that may name the sink of events. */
const sinkFields: ReadonlySet<string> = new Set(['sink', 'defaultCloudEventsSink']);

function namesSink(value: Settings[MapName]): boolean {
  return Object.entries(value).some(([field, given]) => sinkFields.has(field) && given !== undefined);
}
