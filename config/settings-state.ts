import { sameFields } from './same-fields.ts';
import { type MapName, mapNames, type Settings } from './settings.ts';

/**
 * Where events go. `paused`: the map that named the sink was deleted a moment ago and may come back; events wait.
 * `none`: there is no sink; whatever waits may be dropped.
 */
export type SinkState =
  | { readonly state: 'sink'; readonly url: string }
  | { readonly state: 'paused' }
  | { readonly state: 'none' };

/** How one config map stands. */
export interface MapStatus {
  /** Where the values in force come from: the map as it is, the defaults, or an earlier text of the map. */
  readonly source: 'map' | 'default' | 'last-good';
  /** Of the version last read, whether it was applied or refused; undefined while there is no map. */
  readonly resourceVersion: string | undefined;
  /** Why the version last read is not in force; empty when it is. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** When the values in force took effect, ms since the epoch. */
  readonly sinceMs: number;
  /** Since when the map has been refused, ms since the epoch; undefined while it is not. */
  readonly refusedSinceMs: number | undefined;
}

/** The settings in force, and how they came to be. */
export interface SettingsState {
  /** A map's value keeps its identity for as long as none of its fields changes. */
  readonly settings: Settings;
  /** The one place to look for the sink: it knows of a pause, `settings` does not. */
  readonly sink: SinkState;
  readonly maps: Readonly<Record<MapName, MapStatus>>;
}

/** Whether two states tell the same, field by field. */
export function sameSettingsState(a: SettingsState, b: SettingsState): boolean {
  return (
    sameFields(a.sink, b.sink) &&
    mapNames.every((name) => sameFields(a.settings[name], b.settings[name]) && sameFields(a.maps[name], b.maps[name]))
  );
}
