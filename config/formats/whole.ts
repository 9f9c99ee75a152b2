import type { Format } from './format.ts';

/** A whole number between two bounds, both allowed, in decimal digits without a sign or a leading zero. */
export function whole({
  min,
  max,
  what = 'a whole number',
}: {
  min: number;
  max: number;
  what?: string;
}): Format<number> {
  return {
    expected: `${what} from ${min} to ${max}`,
    parse: (text) => {
      if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
      const value = Number(text);
      return value < min || value > max ? undefined : { value };
    },
  };
}
