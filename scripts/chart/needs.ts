import type { KeyDescription } from '../../config/describe-keys.ts';
import { parseMap } from '../../config/parse-map.ts';
import type { MapName } from '../../config/settings.ts';
import type { Profile } from '../../lib/profile.ts';
import { shapeOf } from './formats.ts';
import type { Need } from './policy-expressions.ts';

/** The values of a map's keys that need a value of another key, found by asking the parser about each alone. */
export function needsOf(map: MapName, keys: readonly KeyDescription[], profile: Profile): readonly Need[] {
  return keys.flatMap(({ key, allowed }) => {
    const shape = shapeOf(allowed);
    if (shape.type !== 'words') return [];
    return shape.words.flatMap((value) => {
      const parsed = parseMap(map, { [key]: value }, profile);
      const problems = parsed.ok ? [] : parsed.problems;
      return problems.map((sentence) => ({ key, value, needs: sentence.slice(0, sentence.indexOf(':')), sentence }));
    });
  });
}
