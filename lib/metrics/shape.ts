import type { Profile } from '../profile.ts';
import type { CatalogueRow } from './catalogue.ts';
import { isRunLevel, type LabelName } from './labels.ts';
import type { MetricsSettings } from './settings.ts';

/** What an instrument is under given settings: two of one shape are the same instrument. */
export interface Shape {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly LabelName[];
  /** Each series speaks of runs that exist now, and goes some time after the last of them is deleted. */
  readonly leaves: boolean;
  /** A histogram was asked for and the labels do not allow it: it would have a single bar each. */
  readonly overruled: boolean;
}

/**
 * The shape of a metric under these settings.
 *
 * A duration whose labels name single runs is a gauge whatever the duration-type key says (section 2.2, last rule),
 * where the profile has it so.
 */
export function shapeOf(row: CatalogueRow, settings: MetricsSettings, profile: Profile): Shape {
  const labelNames = row.labels(settings, profile);
  if (row.type !== 'duration') return { type: row.type, labelNames, leaves: false, overruled: false };
  const runLevel = isRunLevel(labelNames);
  const asked = row.durationType !== undefined && settings[row.durationType] === 'lastvalue' ? 'gauge' : 'histogram';
  const overruled = asked === 'histogram' && runLevel && profile.behaviour.runLevelDuration === 'gauge';
  const type = overruled ? 'gauge' : asked;
  return { type, labelNames, leaves: runLevel || type === 'gauge', overruled };
}

/** Whether two shapes can be one instrument. */
export function sameShape(a: Shape, b: Shape): boolean {
  return a.type === b.type && a.labelNames.join() === b.labelNames.join();
}
