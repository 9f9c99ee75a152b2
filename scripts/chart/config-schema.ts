import { describeKeys, type KeyDescription } from '../../config/describe-keys.ts';
import type { MapName } from '../../config/settings.ts';
import { profiles } from '../../lib/profile.ts';
import { patterns, type Shape, shapeOf } from './formats.ts';

type Schema = Readonly<Record<string, unknown>>;
type Writers = { readonly [Type in Shape['type']]: (shape: Extract<Shape, { type: Type }>) => Schema };

const text = (pattern: string) => ({ type: 'string', pattern });
const orEmpty = (pattern: string) => `^$|${pattern}`;

/** YAML's own booleans and numbers are taken as well; the chart writes them as text. */
const writers: Writers = {
  words: ({ words }) => ({ enum: [...words, ...booleansOf(words)] }),
  // The event format is the profile's; which one is checked by the policy and by the controller.
  list: () => text('^[a-z0-9]+( *, *[a-z0-9]+)*$'),
  duration: () => text(orEmpty(patterns.duration)),
  whole: ({ min, max }) => ({
    type: ['string', 'integer'],
    pattern: patterns.whole,
    minimum: Number(min),
    maximum: Number(max),
  }),
  rate: () => ({ type: ['string', 'number'], pattern: patterns.rate, minimum: 0, maximum: 1 }),
  endpoint: () => text(orEmpty(patterns.endpoint)),
  sink: () => text(orEmpty(patterns.sink)),
};

function booleansOf(words: readonly string[]): readonly boolean[] {
  return words.includes('true') ? [true, false] : [];
}

function propertyOf({ doc, allowed }: KeyDescription): Schema {
  const shape = shapeOf(allowed);
  const write = writers[shape.type] as (shape: Shape) => Schema;
  return { description: doc, ...write(shape) };
}

/**
 * The JSON schema of one map's values.
 *
 * `closed` refuses other keys: right for the maps that are ours alone. In the others an executor keeps its own.
 */
export function configSchema(map: MapName, closed: boolean): Schema {
  const keys = describeKeys(profiles.svc).filter((key) => key.map === map);
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key.key, propertyOf(key)])),
    additionalProperties: closed ? false : { type: ['string', 'boolean', 'number'] },
  };
}
