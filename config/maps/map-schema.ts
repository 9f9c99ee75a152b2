import type { Rows } from '../row.ts';
import type { MapName, Settings } from '../settings.ts';

/** What the keys of a map say together, beyond each alone; one sentence a finding. */
export interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** A config map as data: its keys, and the rules among them. */
export interface MapSchema<S> {
  readonly rows: Rows<S>;
  /**
   * `every`: all keys of the map are ours, any other is a warning. `near`: the executing system keeps keys of
   * its own there, so that only a key that looks like a misspelt one of ours is.
   */
  readonly unknownKeys: 'every' | 'near';
  /** Called when each value alone is right; `given` are the keys that the map names. */
  readonly findings: (settings: S, given: ReadonlySet<string>) => Findings;
}

export type MapSchemas = { readonly [Name in MapName]: MapSchema<Settings[Name]> };

export const noFindings: Findings = { problems: [], warnings: [] };
