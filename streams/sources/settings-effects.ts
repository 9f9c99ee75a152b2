import { defer, type MonoTypeOperatorFunction, tap } from 'rxjs';
import type { ConfigMap } from '../../config/config-map.ts';
import { crossMapWarnings } from '../../config/cross-map-warnings.ts';
import type { InForce } from '../../config/in-force.ts';
import type { MapData } from '../../config/parse-map.ts';
import type { MapName } from '../../config/settings.ts';
import { type InForceMaps, settingsStateOf } from '../../config/settings-state-of.ts';
import type { Resource } from '../../lib/run/run.ts';

/** The last good texts of an earlier process, map by map; a map that was never good is missing. */
export type KeptTexts = Readonly<Partial<Record<MapName, MapData>>>;

/** What was done with one version of a map. */
interface Applied {
  readonly map: MapName;
  /** `default`: there is no map, or no more, and its defaults hold. */
  readonly source: 'map' | 'default';
  /** The map was refused before. */
  readonly recovered: boolean;
  /** The version applied; undefined when there is none. */
  readonly configMap: ConfigMap | undefined;
  /** ms since the epoch. */
  readonly atMs: number;
}

export interface SettingsEffects {
  /** A version was refused: once a version, every problem of it. `resource` is the whole config map. */
  readonly onProblems: (map: MapName, problems: readonly string[], resource: Resource) => void;
  /** A version was read that works but not as its author may think: once a version. */
  readonly onWarnings: (map: MapName, warnings: readonly string[], resource: Resource) => void;
  readonly onApplied: (applied: Applied) => void;
  /** Keeps the known keys of a good version; {} when the map was deleted. Must not throw. */
  readonly saveLastGood: (map: MapName, data: Readonly<Record<string, string>>) => void;
  /** Reads what saveLastGood kept. Must settle: no settings come before it has. */
  readonly loadLastGood: () => Promise<KeptTexts>;
  /** The kept texts could not be read; they count as none, until giveUpWaiting$ asks again. */
  readonly onLoadFailed: (error: unknown) => void;
  /** Wall time, ms since the epoch. */
  readonly now: () => number;
}

/** Runs the effects that the last reading of a map calls for. */
export function tell<M extends MapName>(name: M, after: InForce<M>, effects: SettingsEffects): void {
  const { told, recovered, save, status } = after;
  if (told === 'nothing' && save === undefined) return;
  const resource = after.map?.resource;
  if (told === 'refused' && resource) effects.onProblems(name, status.problems, resource);
  if (told !== 'nothing' && status.warnings.length > 0 && resource) effects.onWarnings(name, status.warnings, resource);
  if (told === 'applied' || told === 'default') {
    const source = told === 'applied' ? 'map' : 'default';
    effects.onApplied({ map: name, source, recovered, configMap: after.map, atMs: effects.now() });
  }
  if (save !== undefined) effects.saveLastGood(name, save);
}

/** Tells what two maps say against each other, once for each time they begin to. */
export function tellCrossMap({ onWarnings }: SettingsEffects): MonoTypeOperatorFunction<InForceMaps> {
  return (maps$) =>
    defer(() => {
      let said = false;
      return maps$.pipe(
        tap((maps) => {
          const warnings = crossMapWarnings(settingsStateOf(maps).settings);
          const resource = maps['config-defaults'].map?.resource;
          if (warnings.length > 0 && !said && resource) onWarnings('config-defaults', warnings, resource);
          said = warnings.length > 0;
        }),
      );
    });
}
